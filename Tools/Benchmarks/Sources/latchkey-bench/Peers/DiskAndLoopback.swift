import Foundation
import Glibc

/// The minimum of any store-and-forward: two synchronised writes and a round trip.
final class DiskAndLoopback {
  private let paths: [String]
  private let files: [CInt]
  private let near: CInt
  private let far: CInt
  private var page = [UInt8](repeating: 1, count: 4_096)
  private var written = 0

  /// Creates the measurement in a folder on the disk that the nodes use.
  init(folder: String) throws {
    paths = ["\(folder)/probe-1", "\(folder)/probe-2"]
    files = paths.map { open($0, O_CREAT | O_RDWR, 0o600) }
    (near, far) = try Self.connection()
    guard files.allSatisfy({ $0 >= 0 }) else { throw BenchFault("\(folder) cannot be written.") }
    let far = far
    // The other end returns what it receives.
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while case let count = Glibc.read(far, &bytes, bytes.count), count > 0 { _ = Glibc.write(far, &bytes, count) }
    }
  }

  func measure(_ count: Int) throws -> Durations {
    var durations = Durations()
    for _ in 0..<count {
      let began = Durations.now()
      try synchronise(files[0])
      var left = 200
      guard Glibc.write(near, &page, left) == left else { throw BenchFault("Loopback does not take 200 bytes.") }
      while left > 0 {
        let count = Glibc.read(near, &page, left)
        guard count > 0 else { throw BenchFault("Loopback has ended.") }
        left -= count
      }
      try synchronise(files[1])
      written += 1
      durations.record(Durations.now() - began)
    }
    return durations
  }

  func close() {
    shutdown(near, CInt(SHUT_RDWR))
    for file in files + [near] { Glibc.close(file) }
    for path in paths { unlink(path) }
  }

  private func synchronise(_ file: CInt) throws {
    guard pwrite(file, page, page.count, written * page.count) == page.count, fdatasync(file) == 0 else {
      throw BenchFault("The disk does not take 4 KiB: \(String(cString: strerror(errno))).")
    }
  }

  private static func connection() throws -> (CInt, CInt) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let near = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    let isUp = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, address, &size) == 0
          && connect(near, address, size) == 0
      }
    }
    let far = isUp ? accept(listener, nil, nil) : -1
    guard far >= 0 else { throw BenchFault("No connection can be made over loopback.") }
    var on: CInt = 1
    for end in [near, far] { setsockopt(end, CInt(IPPROTO_TCP), TCP_NODELAY, &on, 4) }
    return (near, far)
  }
}

import Foundation
import Glibc

/// A cheap connection to a node's local API, with one request at a time and answers that are not
/// parsed.
final class LocalAPIConnection {
  private let descriptor: CInt
  private var bytes = [UInt8](repeating: 0, count: 65_536)

  init(folder: String) throws {
    let path = folder + "/control.sock"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else { throw BenchFault("\(path) is too long: set TMPDIR to a shorter path.") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else {
      let reason = String(cString: strerror(errno))
      Glibc.close(socket)
      throw BenchFault("\(path) takes no connection: \(reason).")
    }
    descriptor = socket
  }

  deinit { Glibc.close(descriptor) }

  static func request(_ method: String, _ path: String, body: Data = Data()) -> [UInt8] {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + Array(body)
  }

  /// Sends a request and waits for the complete answer.
  ///
  /// - Throws: `BenchFault` unless the answer is a success.
  func ask(_ request: [UInt8]) throws {
    guard write(descriptor, request, request.count) == request.count else {
      throw BenchFault("The local API takes no request.")
    }
    var count = 0
    var whole: Int?
    while count < whole ?? .max {
      if count == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
      let more = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      guard more > 0 else { throw BenchFault("The local API closed the connection before it had answered.") }
      count += more
      if whole == nil { whole = try length(ofAnswerIn: bytes[..<count]) }
    }
  }

  /// Returns the length of the complete answer; `nil` if its head is not complete.
  private func length(ofAnswerIn received: ArraySlice<UInt8>) throws -> Int? {
    let head = String(decoding: received, as: UTF8.self)
    guard let end = head.utf8.firstRange(of: "\r\n\r\n".utf8) else { return nil }
    guard head.hasPrefix("HTTP/1.1 2") else { throw BenchFault("The local API refused: \(head)") }
    let lines = head[..<end.lowerBound].lowercased().split(separator: "\r\n")
    guard let line = lines.first(where: { $0.hasPrefix("content-length:") }),
      let length = Int(line.split(separator: ":")[1].trimmingCharacters(in: .whitespaces))
    else { throw BenchFault("The local API does not say how long its answer is: \(head)") }
    return head.utf8.distance(from: head.startIndex, to: end.upperBound) + length
  }
}

import Foundation
import Glibc

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Bytes over a node's socket, without a client of ours in between.
struct RawExchange: Sendable {
  let folder: String

  /// Sends a request and returns everything until the connection ends; with `endsThere`, it then
  /// ends its own direction.
  func send(_ request: [UInt8], endsThere: Bool = false) async throws -> String {
    let path = folder + "/" + ControlSocket.name
    // The calls block, so they get a thread of their own.
    return try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(with: Result { try Self.exchange(path, request, endsThere) })
      }.start()
    }
  }

  private static func exchange(_ path: String, _ request: [UInt8], _ endsThere: Bool) throws -> String {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    var rest = request[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      // The server may have refused and closed before all of it was sent.
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    if endsThere { shutdown(descriptor, Int32(SHUT_WR)) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
      answer += buffer[..<count]
    }
  }
}

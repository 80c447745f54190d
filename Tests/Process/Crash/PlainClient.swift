import Dispatch
import Foundation
import Glibc
import LatchkeyHousehold
import LatchkeyModel

/// One connection to a node's local API that is kept for many requests and uses nothing of Latchkey
/// except the JSON, since thousands of requests cost a debug build's client more than the node.
///
/// Requests follow each other. A connection that breaks is reported as `timeout`, and the next
/// request opens a new one.
final class PlainClient: Sendable {
  private let path: String
  // The calls block, so they get a thread of their own.
  private let queue = DispatchQueue(label: "plain-client")
  /// -1 for none; on the queue alone.
  nonisolated(unsafe) private var descriptor: Int32 = -1

  init(folder: String) {
    path = folder + "/control.sock"
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// POST a value as JSON and read the answer's.
  func post<Answer: Decodable & Sendable>(_ target: String, _ body: some Encodable & Sendable) async throws -> Answer {
    let body = try JSONEncoder().encode(body)
    let answer: Data = try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.exchange(target, body) }) }
    }
    return try CommandRegistry.household.decoder().decode(Answer.self, from: answer)
  }

  private func exchange(_ target: String, _ body: Data) throws -> Data {
    do {
      if descriptor < 0 { try connect() }
      let head =
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
      try send(Array(head.utf8) + body)
      return try receive()
    } catch let error as LocalAPIError where error.code != .timeout { throw error } catch {
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
      throw error
    }
  }

  private func connect() throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else {
      close(descriptor)
      throw Self.broken
    }
    self.descriptor = descriptor
  }

  private func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Self.broken }
      rest = rest.dropFirst(count)
    }
  }

  private func receive() throws -> Data {
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      if let end = answer.range(of: Data("\r\n\r\n".utf8)) {
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        guard let length = head.split(separator: "content-length:").dropFirst().first?.prefix(while: { $0 != "\r\n" }),
          let count = Int(length.trimmingCharacters(in: .whitespaces)),
          let status = head.split(separator: " ").dropFirst().first
        else { throw Self.broken }
        if answer.count >= end.upperBound + count {
          let body = answer[end.upperBound..<(end.upperBound + count)]
          guard status.hasPrefix("2") else { throw try JSONDecoder().decode(LocalAPIError.self, from: body) }
          return body
        }
      }
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { throw Self.broken }
      answer.append(contentsOf: buffer[..<count])
    }
  }

  private static let broken = LocalAPIError(.timeout, "The connection broke: look whether it was done.")
}

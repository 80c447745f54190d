import LatchkeyModel
import LatchkeyNode
import NIOCore

/// A reader of an event stream with one line of JSON for each event, which reads as long as the
/// stream has a consumer.
struct EventReader<Event: Decodable & Sendable>: Sendable {
  let door: ControlDoor
  let request: OutgoingRequest

  /// The largest number of bytes in a line.
  private static var lineBytes: Int { 4 << 20 }

  /// Requests the events and returns them as they arrive.
  ///
  /// The stream ends when the node stops.
  ///
  /// - Returns: The events.
  /// - Throws: `LocalAPIError` if the node refuses, `ExchangeFault` if it cannot be reached.
  func events() async throws -> AsyncStream<Event> {
    let (events, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(64))
    let (opening, opened) = AsyncThrowingStream<Void, any Error>.makeStream()
    // The creator of a stream has no parent task for the reading; this task ends with the stream.
    let reading = Task {
      do {
        try await read(whenOpen: { opened.yield() }, give: { continuation.yield($0) })
        opened.finish()
      } catch { opened.finish(throwing: error) }
      continuation.finish()
    }
    continuation.onTermination = { _ in reading.cancel() }
    for try await _ in opening { return events }
    throw ExchangeFault.broken
  }

  private func read(whenOpen: @Sendable () -> Void, give: @Sendable (Event) -> Void) async throws {
    let channel = try await ControlConnection.open(door)
    try await channel.executeThenClose { inbound, outbound in
      try await ControlConnection.send(
        outbound, door, method: request.method.rawValue, target: request.target.text, body: request.body)
      var isOpen = false
      var line: [UInt8] = []
      for try await part in inbound {
        switch part {
        case .head(let head):
          isOpen = head.status == .ok
          if isOpen { whenOpen() }
        case .body(let buffer):
          for byte in buffer.readableBytesView {
            guard isOpen, byte == UInt8(ascii: "\n") else {
              guard line.count < Self.lineBytes else { throw ExchangeFault.tooLong }
              line.append(byte)
              continue
            }
            give(try LocalJSON.decode(Event.self, from: line))
            line = []
          }
        case .end:
          if !isOpen { throw try LocalJSON.decode(LocalAPIError.self, from: line) }
          return
        }
      }
    }
  }
}

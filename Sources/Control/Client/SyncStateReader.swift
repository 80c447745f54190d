import LatchkeyModel
import NIOCore

/// Reads the node's sync states, one line of JSON each, for as long as somebody listens.
struct SyncStateReader: Sendable {
  let stateFolder: String

  /// Bytes that a line may have.
  private static let lineBytes = 65_536

  /// Connect and give each state as it comes; the stream ends when the node stops.
  func states() -> AsyncStream<SyncState> {
    AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
      // A stream's maker has no parent task to hang the reading on; it ends with the stream.
      let reading = Task {
        try? await read { continuation.yield($0) }
        continuation.finish()
      }
      continuation.onTermination = { _ in reading.cancel() }
    }
  }

  private func read(_ yield: @Sendable (SyncState) -> Void) async throws {
    let channel = try await ControlConnection.open(stateFolder: stateFolder)
    try await channel.executeThenClose { inbound, outbound in
      try await ControlConnection.send(
        outbound, method: LocalRoute.sync.method.rawValue, target: LocalRoute.sync.target.text, body: nil)
      var line: [UInt8] = []
      for try await part in inbound {
        switch part {
        case .head(let head):
          guard head.status.code == 200 else { return }
        case .body(let buffer):
          for byte in buffer.readableBytesView {
            guard byte == UInt8(ascii: "\n") else {
              guard line.count < Self.lineBytes else { return }
              line.append(byte)
              continue
            }
            yield(try LocalJSON.decode(SyncState.self, from: line))
            line = []
          }
        case .end: return
        }
      }
    }
  }
}

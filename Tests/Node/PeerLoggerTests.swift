import LatchkeyModel
import Logging
import Synchronization
import Testing

@testable import LatchkeyNode

/// Tests of log messages that name a peer.
@Suite struct PeerLoggerTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  private struct Handler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      lines.all.withLock { $0.append("\(event.level) \(event.message) \(pairs.joined(separator: " "))") }
    }
  }

  @Test("Each message names the peer beside its own metadata, and those below the level are not made")
  func peer() {
    let lines = Lines()
    let base = Logger(label: "test") { _ in Handler(lines: lines) }
    let logger = PeerLogger(logger: base, peer: DeviceName(sanitising: "Ada's laptop"))
    logger.info("one")
    logger.warning("two", metadata: ["reason": "three"])
    var made = 0
    func four() -> Logger.Message {
      made += 1
      return "four"
    }
    logger.debug(four())
    #expect(lines.all.withLock(\.self) == ["info one peer=Ada's laptop", "warning two peer=Ada's laptop reason=three"])
    #expect(made == 0)
  }
}

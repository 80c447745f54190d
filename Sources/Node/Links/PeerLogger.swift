import LatchkeyModel
import Logging

/// A logger whose messages name a peer.
///
/// A `Logger` with metadata of its own would take half a kilobyte for each link.
struct PeerLogger: Sendable {
  let logger: Logger
  let peer: DeviceName

  func debug(_ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata = [:]) {
    log(.debug, message, metadata)
  }

  func info(_ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata = [:]) {
    log(.info, message, metadata)
  }

  func notice(_ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata = [:]) {
    log(.notice, message, metadata)
  }

  func warning(_ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata = [:]) {
    log(.warning, message, metadata)
  }

  func error(_ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata = [:]) {
    log(.error, message, metadata)
  }

  private func log(_ level: Logger.Level, _ message: () -> Logger.Message, _ metadata: () -> Logger.Metadata) {
    guard logger.logLevel <= level else { return }
    logger.log(level: level, message(), metadata: metadata().merging(["peer": "\(peer)"]) { own, _ in own })
  }
}

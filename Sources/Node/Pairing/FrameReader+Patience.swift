import LatchkeyTransport

extension FrameReader {
  /// Returns the next frame; `nil` if the connection has ended or `milliseconds` have passed, after which nothing more
  /// is read.
  func next(within milliseconds: Int64, _ steps: PairingSteps) async -> [UInt8]? {
    let began = steps.begin()
    defer { steps.end(.frame, began) }
    let position = position
    let alarm = AlarmClock.shared.set(after: milliseconds) { self.stop(unlessPast: position) }
    defer { AlarmClock.shared.cancel(alarm) }
    return await next()
  }
}

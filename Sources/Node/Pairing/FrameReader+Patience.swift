import LatchkeyTransport

extension FrameReader {
  /// Returns the next frame; `nil` when the connection has ended or `milliseconds` have gone by, after which it is read no
  /// further.
  func next(within milliseconds: Int64, _ steps: PairingSteps) async -> [UInt8]? {
    let began = steps.begin()
    defer { steps.end(.frame, began) }
    let alarm = AlarmClock.shared.set(after: milliseconds) { self.stop() }
    defer { AlarmClock.shared.cancel(alarm) }
    return await next()
  }
}

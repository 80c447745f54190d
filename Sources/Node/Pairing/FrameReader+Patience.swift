import LatchkeyTransport

extension FrameReader {
  /// Returns the next frame; `nil` when the connection has ended or `milliseconds` have gone by without a frame, after which it
  /// is read no further.
  func next(within milliseconds: Int64, _ steps: PairingSteps) async -> [UInt8]? {
    let began = steps.begin()
    defer { steps.end(.frame, began) }
    let position = position
    let alarm = AlarmClock.shared.set(after: milliseconds) { self.stop(unlessPast: position) }
    defer { AlarmClock.shared.cancel(alarm) }
    return await next()
  }
}

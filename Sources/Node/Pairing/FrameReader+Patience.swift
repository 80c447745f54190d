import LatchkeyTransport

extension FrameReader {
  /// Returns the next frame; `nil` when the connection has ended or `milliseconds` have gone by.
  func next(within milliseconds: Int64, _ steps: PairingSteps) async -> [UInt8]? {
    let began = steps.begin()
    defer { steps.end(.frame, began) }
    return await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { await self.next() }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        return nil
      }
      let frame = await group.next() ?? nil
      group.cancelAll()
      return frame
    }
  }
}

import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

/// One side of one pairing, as the local API sees it.
protocol PairingRole: Actor {
  var progress: PairingProgress { get }
  /// Takes the person's answer; false when that question is not asked any more.
  func answer(_ answer: PairingAnswer) async -> Bool
  /// Ends the pairing from this side, as far as it can still be ended.
  func end(_ outcome: PairingOutcome) async
  /// Takes note that a session has completed a pairing.
  func completed(_ device: DeviceID, as registered: RegisteredDevice?) async
  /// Takes note that a half-made pairing was rolled back, or has lapsed.
  func rolledBack(_ device: DeviceID) async
}

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

extension PairingEntropy {
  /// Draws everything random for one attempt.
  static func draw() -> PairingEntropy {
    PairingEntropy(
      random: SecureRandom.bytes(32), ephemeralKey: LinkKeyPair.generate(), scalar: CPaceScalar.generate(),
      sessionID: SecureRandom.bytes(16))
  }
}

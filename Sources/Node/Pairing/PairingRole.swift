import LatchkeyModel

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

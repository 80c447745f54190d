import LatchkeyModel

/// Something that happens while two machines are paired.
enum PairingEvent: Sendable {
  /// Ctrl-C.
  case interrupted
  /// The terminal has another size.
  case resized
  /// About a second has passed.
  case ticked
  /// The node says how the pairing stands.
  case progressed(PairingProgress)
  /// The node does not answer, and is asked again.
  case nodeLost
  /// The node cannot be asked any more, for a reason that no repetition mends.
  case failed(LocalAPIError)
  /// A line for the question with that number; `nil` at the end of the input.
  case typed(String?, question: Int)
  /// Keys typed while a code is entered; `nil` at the end of the input.
  case keys([UInt8]?)
  /// The open codes on the network.
  case found(NearbyInvitations)
}

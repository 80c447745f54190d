import LatchkeyModel
import LatchkeyNode

/// An event during the pairing of two machines.
enum PairingEvent: Sendable {
  /// Ctrl-C.
  case interrupted
  /// The terminal was resized.
  case resized
  /// About a second has passed.
  case ticked
  /// The node reported the progress of the pairing.
  case progressed(PairingProgress)
  /// The node does not answer, and is asked again.
  case nodeLost
  /// The node cannot be reached any more, for a reason that no repetition removes.
  case failed(LocalAPIError)
  /// A line for the question with that number; `nil` at the end of the input.
  case typed(String?, question: Int)
  /// Keys typed while a code is entered; `nil` at the end of the input.
  case keys([UInt8]?)
  /// The open codes on the network.
  case found(NearbyInvitations)
}

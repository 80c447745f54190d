import LatchkeyModel

/// The node of the state folder.
public enum NodeFacts: Sendable {
  case running(NodeStatus, NearbyMachines?)
  /// Why it cannot be asked: a sentence with the next step.
  case absent(String)
}

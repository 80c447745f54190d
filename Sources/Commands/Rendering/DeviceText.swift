import LatchkeyModel
import LatchkeyNode

/// Paired machines and what befalls them, in words.
enum DeviceText {
  /// Returns the state of the link in a few words.
  ///
  /// - Parameters:
  ///   - peer: The device.
  ///   - now: The present time in Unix milliseconds, to state when an absent machine was last seen;
  ///     `nil` to omit that.
  /// - Returns: The words.
  static func link(_ peer: PeerStatus, now: Int64? = nil) -> String {
    var words = state(peer)
    if words == "off", let now, let seen = peer.device.lastSeenAt { words += ", seen \(ShownText.ago(seen, now: now))" }
    if peer.marks.contains(.rotationOutstanding) { words += ", new keys waiting" }
    return words
  }

  private static func state(_ peer: PeerStatus) -> String {
    if peer.marks.contains(.removalUntold) { return "removed, not told yet" }
    if peer.device.state == .removed { return "removed" }
    if peer.marks.contains(.quarantined) { return "quarantined" }
    if peer.isConnected { return "connected" }
    return peer.marks.contains(.neverConnected) ? "never connected" : "off"
  }

  /// Returns that a machine is not connected and since when, after its name.
  static func away(_ machine: EditedMachine, now: Int64) -> String {
    if machine.isNew { return "has not been connected since it was paired" }
    guard let seen = machine.lastSeenAt else { return "is off" }
    return "is off (last seen \(ShownText.agoInWords(seen, now: now)))"
  }

  /// Returns the meaning of a mark for the person, with the next step if there is one; `nil` for
  /// none.
  static func sentence(_ mark: PeerMark, of peer: PeerStatus) -> String? {
    // The ID is used because another machine chose the name, and the text may be copied into a
    // shell.
    let id = peer.device.deviceID.short
    switch mark {
    case .neverConnected:
      return peer.isConnected
        ? nil : "It has not been connected since it was paired: check that `latchkey run` is running there."
    case .quarantined:
      return
        "Two machines use its keys, so nothing is exchanged with either: run `latchkey identity renew` on the copy "
        + "and pair it again, then `latchkey devices release \(id)` here, or pair it anew."
    case .removalUntold:
      return "It is removed and is told when it next calls; `latchkey devices forget \(id)` drops it at once."
    case .rotationOutstanding:
      return
        "Its new keys wait for it, because another machine was removed; until it has them it is found by the old ones."
    }
  }

  /// Returns the sentence about the queue of a removed machine, after a space; empty if there is
  /// none.
  static func closed(_ result: UnpairResult) -> String { result.closed.map { " " + $0.worded() }.joined() }
}

/// Device IDs to the names that people gave.
struct DeviceNames: Sendable {
  private var names: [DeviceID: DeviceName]

  /// Creates the value from the node's answers.
  init(of node: any NodeInterface) async throws(LocalAPIError) { self.init(try await node.ask(Endpoints.getStatus)) }

  /// Takes the names of the node's own machine, of those that are paired with it, and of those that
  /// were, and of other parents.
  init(_ status: NodeStatus) {
    let paired = status.peers.map { ($0.device.deviceID, $0.device.name) }
    // Other parents are known by the word of the machines that are paired with them.
    let told = status.peers.flatMap { $0.otherParents ?? [] }.map { ($0.parent.deviceID, $0.parent.name) }
    let former = status.former.map { ($0.deviceID, $0.name) }
    names = Dictionary([(status.deviceID, status.name)] + paired + former + told) { first, _ in first }
  }

  init(_ names: [DeviceID: DeviceName]) { self.names = names }

  func name(_ id: DeviceID) -> DeviceName? { names[id] }

  /// The name, or the beginning of the ID of a device that is not known.
  subscript(id: DeviceID) -> String { names[id]?.text ?? id.short }
}

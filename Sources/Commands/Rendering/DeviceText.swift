import LatchkeyModel

/// Paired machines and what befalls them, in words.
enum DeviceText {
  /// The state of the link in a few words.
  static func link(_ peer: PeerStatus) -> String {
    var words = state(peer)
    if peer.marks.contains(.rotationOutstanding) { words += ", new keys waiting" }
    return words
  }

  private static func state(_ peer: PeerStatus) -> String {
    if peer.marks.contains(.removalUntold) { return "removed, not told yet" }
    if peer.device.state == .removed { return "removed" }
    if peer.marks.contains(.quarantined) { return "quarantined" }
    if peer.isConnected { return "connected" }
    return peer.marks.contains(.neverConnected) ? "never connected" : "offline"
  }

  /// What a mark means for its person, with the next step where there is one.
  static func sentence(_ mark: PeerMark, of peer: PeerStatus) -> String? {
    // By its ID: a name is somebody else's text, and what is shown here may be copied into a shell.
    let id = peer.device.deviceID.short
    switch mark {
    case .neverConnected:
      return peer.isConnected
        ? nil : "It has not been connected since it was paired: check that `latchkey run` is running there."
    case .quarantined:
      return
        "Two live machines use its keys, so nothing is exchanged with either: run `latchkey identity renew` on the copy "
        + "and pair it again, then `latchkey devices release \(id)` here, or pair it anew."
    case .removalUntold:
      return "It is removed and hears of it when it next calls; `latchkey devices forget \(id)` drops it at once."
    case .rotationOutstanding:
      return
        "Its new keys wait for it, because another machine was removed; until it has them it is found by the old ones."
    }
  }

  /// What became of a removed machine's queue; begins with a space unless there is nothing to say.
  static func closed(_ result: UnpairResult) -> String {
    var sentences: [String] = []
    if result.cancelledCommands > 0 {
      sentences.append(
        "\(ShownText.count(result.cancelledCommands, "command")) for it will not be executed; see `latchkey commands list`."
      )
    }
    if result.droppedItems > 0 {
      sentences.append("\(ShownText.count(result.droppedItems, "record")) that waited for it will not be sent.")
    }
    return sentences.map { " " + $0 }.joined()
  }
}

import LatchkeyModel

/// Finds the one machine that a person means.
enum DeviceChoice {
  /// Choose by name, by ID, or by the beginning of an ID.
  ///
  /// - Throws: `CommandFailure` when none fits, or several do.
  static func find(_ text: String, among peers: [PeerStatus]) throws(CommandFailure) -> PeerStatus {
    if let id = DeviceID(text), let peer = peers.first(where: { $0.device.deviceID == id }) { return peer }
    // What is paired goes before what was removed and has not heard of it.
    if let peer = try? choose(text, among: peers.filter { $0.device.state == .active }) { return peer }
    return try choose(text, among: peers)
  }

  private static func choose(_ text: String, among active: [PeerStatus]) throws(CommandFailure) -> PeerStatus {
    var found = active.filter { $0.device.name.text == text }
    if found.isEmpty { found = active.filter { $0.device.name.text.lowercased() == text.lowercased() } }
    if found.isEmpty {
      let start = compact(text)
      found = start.isEmpty ? [] : active.filter { compact($0.device.deviceID.description).hasPrefix(start) }
    }
    guard let peer = found.first else {
      throw CommandFailure(
        .unknownName,
        "No paired machine is called “\(ShownText.safe(text))”: see `latchkey devices list` for their names.")
    }
    guard found.count == 1 else {
      throw CommandFailure(
        .unknownName,
        "“\(ShownText.safe(text))” fits \(found.count) machines: name the one by its ID from `latchkey devices list`.")
    }
    return peer
  }

  private static func compact(_ text: String) -> String { text.uppercased().filter { $0 != "-" && $0 != " " } }
}

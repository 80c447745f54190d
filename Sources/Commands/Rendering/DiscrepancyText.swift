import LatchkeyModel

/// What children's machines say that they hold where this one set something else, in words.
enum DiscrepancyText {
  /// Returns a sentence or more for each, of applications or of the family's rules.
  static func sentences(_ peers: [PeerStatus], ofApplications: Bool) -> [String] {
    peers.flatMap { peer in
      (peer.discrepancies ?? []).filter { ($0.appID != nil) == ofApplications }
        .map { "Warning: " + sentence($0, of: peer.device.name) }
    }
  }

  private static func sentence(_ discrepancy: Discrepancy, of machine: DeviceName) -> String {
    let thing = discrepancy.displayName.map(ShownText.safe) ?? "the family's rules"
    var words = "\(ShownText.quoted(machine)) does not hold what was set here for \(thing)"
    if let reason = discrepancy.reason {
      words += ": " + ShownText.safe(reason)
    } else if let state = discrepancy.state {
      words += ". It says that it holds \(CommandText.held(state))."
    } else {
      words += ", and does not say what it holds."
    }
    if discrepancy.isFarAhead {
      words += " It claims a time more than a day ahead of this machine's clock, which is not believed here."
    }
    return words
  }
}

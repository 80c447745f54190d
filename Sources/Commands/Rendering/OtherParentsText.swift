import LatchkeyModel

/// The other parents of children's machines, in words.
enum OtherParentsText {
  /// Returns a sentence for each other parent.
  static func sentences(_ peers: [PeerStatus], now: Int64) -> [(text: String, isNews: Bool)] {
    peers.flatMap { peer in
      (peer.otherParents ?? []).map { other in
        let (child, name) = (ShownText.quoted(peer.device.name), ShownText.quoted(other.parent.name))
        let sentence =
          "\(child) is paired with another parent's machine, \(name), since \(ShownText.ago(other.parent.pairedAt, now: now))."
        guard other.isNews else { return (sentence, false) }
        return (
          sentence + " If you do not know that machine, run `latchkey devices unpair` for it on \(child).", true
        )
      }
    }
  }
}

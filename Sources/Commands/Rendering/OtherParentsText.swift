import Foundation
import LatchkeyModel

/// The other parents of children's machines, in words.
enum OtherParentsText {
  static func sentences(_ peers: [PeerStatus], zone: TimeZone) -> [(text: String, isNews: Bool)] {
    peers.flatMap { peer in
      (peer.otherParents ?? []).map { other in
        let (child, name) = (ShownText.quoted(peer.device.name), ShownText.quoted(other.parent.name))
        let since = TimeText.short(other.parent.pairedAt, zone: zone)
        if let leftAt = other.parent.leftAt {
          return (
            "\(child) was paired with another parent's machine, \(name), from \(since) to \(TimeText.short(leftAt, zone: zone)). "
              + "If you do not know that machine, compare `latchkey apps` with what you set, and find out who can use \(child).",
            other.isNews
          )
        }
        let sentence = "\(child) is paired with another parent's machine, \(name), since \(since)."
        guard other.isNews else { return (sentence, false) }
        return (
          sentence + " If you do not know that machine, run `latchkey devices unpair "
            + "\(ShellWord.machine(other.parent.name, other.parent.deviceID))` on \(child).", true
        )
      }
    }
  }
}

import Foundation
import LatchkeyModel
import LatchkeyNode

/// Paired machines and what befalls them, in words.
enum DeviceText {
  /// Returns the state of the link; with `now`, also when an absent machine was last seen.
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

  /// Returns the meaning of a mark, with the next step if there is one; `nil` for none.
  static func sentence(_ mark: PeerMark, of peer: PeerStatus) -> String? {
    // Not the name: another machine chose it, and the text may be copied into a shell.
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

  /// Returns the sentence about the queue of a removed machine, after a space, if there is one.
  static func closed(_ result: UnpairResult) -> String { result.closed.map { " " + $0.worded() }.joined() }
}

struct DeviceNames: Sendable {
  private let names: [DeviceID: DeviceName]

  init(of node: any NodeInterface) async throws(LocalAPIError) { self.init(try await node.ask(Endpoints.getStatus)) }

  /// Takes the names of this machine, of those that are or were paired with it, and other parents.
  init(_ status: NodeStatus) {
    let paired = status.peers.map { ($0.device.deviceID, $0.device.name) }
    // Machines that are paired with other parents tell their names.
    let told = status.peers.flatMap { $0.otherParents ?? [] }.map { ($0.parent.deviceID, $0.parent.name) }
    let former = status.former.map { ($0.deviceID, $0.name) }
    names = Dictionary([(status.deviceID, status.name)] + paired + former + told) { first, _ in first }
  }

  func name(_ id: DeviceID) -> DeviceName? { names[id] }

  /// The name, or the beginning of the ID of a device that is not known.
  subscript(id: DeviceID) -> String { names[id]?.text ?? id.short }
}

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

enum SyncText {
  /// A few words for a table.
  static func words(_ state: SyncState, now: Int64) -> String {
    switch state {
    case .idle: "nothing yet"
    case .connecting: "connecting"
    case .syncing(let done, let total): "exchanging, \(done) of \(total)"
    case .synced(let at): "up to date, \(ShownText.ago(at, now: now))"
    case .error: "waiting to try again"
    }
  }

  static func nextTry(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "It is called when it appears." }
    return milliseconds < 1_000 ? "It is tried again now." : "Next try in \(SpanText.of(milliseconds))."
  }

  /// One sentence for a line of its own.
  static func sentence(_ state: SyncState, now: Int64) -> String {
    switch state {
    case .error(let reason, let next): "\(ShownText.safe(reason)) \(nextTry(next))"
    default: words(state, now: now)
    }
  }

  static func line(of peer: PeerStatus, now: Int64) -> String {
    "\(ShownText.safe(peer.device.name.text)): \(sentence(peer.sync, now: now))"
  }
}

enum AddressText {
  /// Returns a paragraph for each address: how it was learnt, and how the last tries ended.
  static func lines(_ addresses: [DeviceAddress], now: Int64) -> [String] {
    addresses.map { address in
      var parts = [learnt(address.source)]
      if address.isInUse { parts.append("in use") }
      if address.isOfThisNetwork == false { parts.append("on another network") }
      if let at = address.lastSuccessAt {
        if !address.isInUse { parts.append("worked \(ShownText.ago(at, now: now))") }
      } else {
        // The other machine may have called from there all the same.
        parts.append(address.isInUse ? "never called by this machine" : "not reached there yet")
      }
      var text = "\(address.address): \(parts.joined(separator: ", "))"
      if let at = address.lastFailureAt {
        text += "; failed \(ShownText.ago(at, now: now))"
        if let failure = address.failure { text += ": \(failure)" }
      }
      return text
    }
  }

  private static func learnt(_ source: AddressSource) -> String {
    switch source {
    case .code: "from the pairing code"
    case .connection: "from a session"
    case .mdns: "announced over mDNS"
    case .given: "given with --peer"
    case .told: "told by another machine"
    }
  }
}

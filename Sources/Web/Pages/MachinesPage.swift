import LatchkeyModel
import LatchkeyNode

/// The page about the family's machines: whether they are in touch, what is pending for them, and
/// what is wrong.
enum MachinesPage {
  static let page = Page("/machines", whoMay: [.parent, .phone], in: .named("Machines"), template: template) { call in
    let status = try await call.node.ask(Endpoints.getStatus)
    let children = try await call.node.ask(Endpoints.getChildren)
    let conditions = try await call.node.ask(Endpoints.getConditions)
    return ("Machines", data(status, children, conditions, now: call.now))
  }

  static let rows = """
    <dt>[[Whose]]</dt><dd>{{whose}}</dd>
    <dt>[[State]]</dt><dd>{{touch}}</dd>
    <dt>[[In step]]</dt><dd>{{sync}}</dd>
    <dt>[[Waiting]]</dt><dd>{{waiting}}</dd>
    {{#address}}<dt>[[Address]]</dt><dd>{{.}}</dd>{{/address}}
    <dt>[[Paired]]</dt><dd>{{paired}}</dd>
    """

  static let template = """
    <h1>[[Machines]]</h1>
    <section id="machines" data-live>
    {{#warnings}}<p class="word fault">{{.}}</p>{{/warnings}}
    {{^hasMachines}}<p>[[This machine is paired with no other yet.]]</p>{{/hasMachines}}
    {{^isPhone}}<p><a class="button" href="/machines/pair">[[Pair a machine]]</a></p>{{/isPhone}}
    <div class="cards">
    <article class="card">
    <h2>{{own.name}}</h2>
    <dl>
    <dt>[[Whose]]</dt><dd>[[this machine, a parent's]]</dd>
    <dt>[[Version]]</dt><dd>{{own.version}}</dd>
    {{#own.addresses}}<dt>[[Listens at]]</dt><dd>{{.}}</dd>{{/own.addresses}}
    </dl></article>
    {{#machines}}
    <article class="card">
    <h2><a href="/machines/{{id}}">{{name}}</a></h2>
    <dl>
    \(rows)
    </dl>
    {{#sentences}}<p class="word fault">{{.}}</p>{{/sentences}}
    </article>{{/machines}}</div></section>
    """

  static func data(
    _ status: NodeStatus, _ children: [ChildListing], _ conditions: [ConditionListing], now: Int64
  ) -> PageData {
    let clock = PageClock(now: now)
    return [
      "warnings": status.warnings, "hasMachines": !status.peers.isEmpty,
      "own": ["name": status.name.text, "version": status.version, "addresses": status.listening] as PageData,
      "machines": status.peers.map { machine($0, children, conditions, clock) },
    ]
  }

  /// Returns the data of a machine, with sentences about its faults.
  static func machine(
    _ peer: PeerStatus, _ children: [ChildListing], _ conditions: [ConditionListing], _ clock: PageClock
  ) -> PageData {
    let owners = children.filter { $0.machines.contains(peer.device.name) }.map(\.name.text)
    let isParents = peer.device.role == .parent
    let waiting = peer.queues.reduce(Int64(0)) { $0 + $1.waitingItems }
    let about = conditions.filter { $0.deviceID == peer.device.deviceID }.compactMap(sentence)
    return PageData(known: [
      "id": peer.device.deviceID.description, "name": peer.device.name.text,
      "whose": isParents
        ? Phrase("a parent's machine")
        : owners.isEmpty
          ? Phrase("nobody's yet") : Phrase("used by {names}", ["names": .phrase(PageWords.list(owners))]),
      "touch": PageWords.touch(peer, clock), "sync": sync(peer.sync, clock),
      "waiting": waiting == 0
        ? Phrase("nothing") : Phrase(one: "{count} item", other: "{count} items", count: Int(clamping: waiting)),
      "paired": clock.moment(peer.device.pairedAt), "address": peer.address,
      "sentences": (peer.isConnected ? [] : [peer.lastError].compactMap(\.self)).map { Phrase(verbatim: $0) }
        + marks(peer) + about,
    ])
  }

  /// Returns the sentence about a condition that weakens the rules on a machine; `nil` for a
  /// condition that is only information, or that this version does not know.
  private static func sentence(_ listing: ConditionListing) -> Phrase? {
    guard listing.isWarning else { return nil }
    return listing.phrases(on: listing.deviceName.quotation)?.sentence
  }

  private static func sync(_ state: SyncState, _ clock: PageClock) -> Phrase {
    switch state {
    case .idle: Phrase("not yet")
    case .connecting: Phrase("is being called")
    case .syncing(let done, let total):
      Phrase("exchanging, {done} of {total}", ["done": .text("\(done)"), "total": .text("\(total)")])
    case .synced(let at): Phrase("yes, since {time}", ["time": .phrase(clock.moment(at))])
    case .error(let reason, _): Phrase(verbatim: reason)
    }
  }

  private static func marks(_ peer: PeerStatus) -> [Phrase] {
    peer.marks.compactMap { mark in
      switch mark {
      case .quarantined: Phrase("Two machines use its keys, so nothing is exchanged with either of them.")
      case .rotationOutstanding: Phrase("Its new keys wait for it, because another machine was removed.")
      case .neverConnected, .removalUntold: nil
      }
    }
  }
}

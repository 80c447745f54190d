import LatchkeyModel
import LatchkeyNode

/// The page about a machine of the family: its connection, its faults, its accounts and its name.
enum MachinePage {
  static let page = Page("/machines/{device}", whoMay: [.parent, .phone], template: template) { call in
    let peers = try await call.node.ask(Endpoints.getDevices)
    let peer = try peer(call.parameters["device"] ?? "", peers)
    let children = try await call.node.ask(Endpoints.getChildren)
    let conditions = try await call.node.ask(Endpoints.getConditions)
    var accounts: [AccountListing] = []
    if peer.device.role == .child, peer.device.state == .active {
      accounts = try await call.node.ask(Endpoints.getAccounts, peer.device.deviceID.description)
    }
    let commands = try await call.node.ask(Endpoints.getCommands, (peer.device.deviceID.description, 100))
    return (
      Phrase(verbatim: peer.device.name.text), data(peer, children, accounts, conditions, commands, now: call.now)
    )
  }

  static let template = """
    <h1>{{name}}</h1>
    <section id="machine" data-live>
    <dl>
    \(MachinesPage.rows)
    </dl>
    {{#sentences}}<p class="word fault">{{.}}</p>{{/sentences}}
    </section>
    <section id="findings" data-live>
    {{#hasFindings}}<h2>[[What is wrong or worth knowing]]</h2>
    <ul>{{#findings}}<li>{{sentence}} <span class="age">{{next}}</span></li>{{/findings}}</ul>{{/hasFindings}}
    </section>
    <section id="failed" data-live>
    \(FailedCommands.template)
    </section>
    <section id="accounts" data-live>
    {{#hasAccounts}}<h2>[[Accounts]]</h2>
    <ul>{{#accounts}}<li>{{.}}</li>{{/accounts}}</ul>{{/hasAccounts}}
    {{^isPhone}}{{#isChilds}}<p><a href="/machines/{{id}}/setup">[[Go through the questions about this machine]]</a></p>{{/isChilds}}{{/isPhone}}
    </section>
    <section id="addresses" data-live>
    {{#hasAddresses}}<h2>[[Addresses]]</h2>
    <ul>{{#addresses}}<li><code>{{address}}</code> {{words}}</li>{{/addresses}}</ul>{{/hasAddresses}}
    </section>
    {{#isActive}}
    <section aria-labelledby="change">
    <h2 id="change">[[Change]]</h2>
    <div class="row">
    <form method="post" action="/machines/sync">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{id}}">
    <button>[[Try now]]</button>
    </form>
    {{^isPhone}}
    <form method="post" action="/machines/rename" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{id}}">
    <label class="wide">[[Another name]] <input name="name" value="{{name}}" maxlength="64" required autocomplete="off"></label>
    <button class="quiet">[[Rename]]</button>
    </form>{{/isPhone}}</div>
    {{^isPhone}}<p><a href="/machines/{{id}}/remove">[[Remove {machine} …]]</a></p>{{/isPhone}}
    </section>{{/isActive}}
    <p><a href="/machines">[[All machines]]</a></p>
    """

  static func peer(_ device: String, _ peers: [PeerStatus]) throws(PageFault) -> PeerStatus {
    guard let peer = peers.first(where: { $0.device.deviceID.description == device }) else {
      throw PageFault(404, "There is no such machine: choose one on the page Machines.")
    }
    return peer
  }

  static func data(
    _ peer: PeerStatus, _ children: [ChildListing], _ accounts: [AccountListing], _ conditions: [ConditionListing],
    _ commands: [ConfigurationCommand] = [], now: Int64
  ) -> PageData {
    let clock = PageClock(now: now)
    let findings = conditions.filter { $0.deviceID == peer.device.deviceID }.map(finding)
    let addresses = peer.addresses.map { address -> PageData in
      ["address": address.address, "words": words(address, clock)]
    }
    let isActive = peer.device.state == .active
    let own: PageData = [
      "machine": Phrase.quoted(peer.device.name.text), "findings": findings, "hasFindings": !findings.isEmpty,
      "accounts": accounts.map(account), "hasAccounts": !accounts.isEmpty, "addresses": addresses,
      "hasAddresses": !addresses.isEmpty, "isActive": isActive, "isChilds": isActive && peer.device.role == .child,
    ]
    return MachinesPage.machine(peer, children, [], clock)
      .merging(FailedCommands.data(commands, clock, now: now)) { $1 }.merging(own) { $1 }
  }

  /// Returns a condition of the machine with its next step, in the words of `latchkey doctor`.
  private static func finding(_ listing: ConditionListing) -> PageData {
    let condition = listing.condition
    guard let kind = ConditionKind.named(condition.name) else {
      return [
        "sentence": Phrase(
          "A newer Latchkey there tells of “{condition}”, which this one does not know.",
          ["condition": .text(condition.name)]), "next": Phrase("Update Latchkey on this machine."),
      ]
    }
    let account = listing.accountName ?? condition.account.map { "\($0)" } ?? ""
    let words = kind.phrases(
      on: listing.deviceName.quotation, account: account, detail: condition.detail, app: listing.app)
    return ["sentence": words.sentence, "next": words.next]
  }

  private static func account(_ listing: AccountListing) -> Phrase {
    let children = Phrase.Argument.list(listing.childNames.map { .text($0.text) })
    let arguments = ["account": Phrase.Argument.text(listing.account.name), "child": children]
    return switch listing.owner {
    case .child where listing.childNames.count > 1: Phrase("{account}: {child} share it", arguments)
    case .child: Phrase("{account}: {child}", arguments)
    case .nobody: Phrase("{account}: not supervised", arguments)
    case .open: Phrase("{account}: nobody has said whose it is, so nothing is counted or closed in it", arguments)
    }
  }

  private static func words(_ address: DeviceAddress, _ clock: PageClock) -> Phrase {
    if address.isInUse { return Phrase("in use") }
    if let failure = address.failure, let at = address.lastFailureAt {
      return Phrase("failed {when}: {reason}", ["when": .phrase(clock.ago(at)), "reason": .text(failure)])
    }
    guard let at = address.lastSuccessAt else { return Phrase("not reached there yet") }
    return Phrase("worked {when}", ["when": .phrase(clock.ago(at))])
  }
}

/// The page with the question before a machine is removed from the family, with what is lost.
enum RemovePage {
  static let page = Page("/machines/{device}/remove", whoMay: [.parent], template: template) { call in
    let peers = try await call.node.ask(Endpoints.getDevices)
    let peer = try MachinePage.peer(call.parameters["device"] ?? "", peers)
    return ("Remove a machine", data(peer, try await call.node.ask(Endpoints.getChildren)))
  }

  static let template = """
    <h1>[[Remove a machine]]</h1>
    <p class="word fault">{{question}}</p>
    <ul>{{#losses}}<li>{{.}}</li>{{/losses}}</ul>
    <div class="row">
    <form method="post" action="/machines/remove">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{id}}">
    <button>[[Remove {machine}]]</button>
    </form>
    <p><a href="/machines/{{id}}">[[Keep it]]</a></p>
    </div>
    """

  static func data(_ peer: PeerStatus, _ children: [ChildListing]) -> PageData {
    let device = peer.device
    var losses: [Phrase] = []
    let waiting = peer.queues.reduce(Int64(0)) { $0 + $1.waitingItems }
    if waiting > 0 {
      losses.append(
        Phrase(
          one: "{count} item that waits for it is not sent any more.",
          other: "{count} items that wait for it are not sent any more.", count: Int(clamping: waiting)))
    }
    for child in children where child.machines == [device.name] {
      losses.append(
        Phrase(
          "{child} has no other machine here: from then on, nothing of {child} is counted or set here.",
          ["child": .text(child.name.text)]))
    }
    losses.append(Phrase("What it has recorded until now stays here."))
    return [
      "id": device.deviceID.description, "machine": Phrase.quoted(device.name.text),
      "question": UnpairResult.question(device), "losses": losses,
    ]
  }
}

/// The commands that failed at a machine, with the reasons in the reader's language.
enum FailedCommands {
  private static let most = 5
  /// The time for which a failure is shown, in milliseconds: a week.
  private static let longest: Int64 = 7 * 86_400_000

  static let template = """
    {{#hasFailed}}<h2>[[What was not done there]]</h2>
    <ul>{{#failed}}<li>{{reason}} <span class="age">{{what}}, {{when}}</span></li>{{/failed}}</ul>{{/hasFailed}}
    """

  static func data(_ commands: [ConfigurationCommand], _ clock: PageClock, now: Int64) -> PageData {
    let failed = commands.filter { command in
      guard command.status == .failed || command.status == .expired, command.reason != nil else { return false }
      return command.statusAt > now - longest
    }
    let rows = failed.prefix(most).compactMap { command in
      command.toldReason.map { reason -> PageData in
        ["reason": reason, "what": command.payload.title, "when": clock.ago(command.statusAt)]
      }
    }
    return ["failed": rows, "hasFailed": !rows.isEmpty]
  }
}

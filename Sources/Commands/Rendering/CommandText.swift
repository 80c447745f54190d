import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The words for commands and the states after them.
enum CommandText {
  static func request(_ payload: CommandPayload, _ terms: RuleTerms = RuleTerms()) -> String {
    ShownText.safe((payload.value as? Edit).map { HouseholdKey.phrase($0.registers, terms) } ?? payload.summary)
  }

  /// Returns the state that the child's machine reported for a command, in whole sentences.
  static func inForce(
    _ state: StateInForce, _ payload: CommandPayload, on machine: DeviceName?, _ terms: RuleTerms = RuleTerms()
  ) -> String {
    let name = machine?.text ?? "that machine"
    let registers = state.as(RegistersInForce.self)?.summary(on: name, terms)
    return ShownText.safe(registers ?? payload.value.result(state, on: name))
  }

  /// Returns the state that a machine reports, as a phrase after “it holds”.
  static func held(_ state: StateInForce) -> String { ShownText.safe(state.claim) }

  /// Returns the state in force after a command that was executed, in whole sentences.
  static func result(
    _ command: ConfigurationCommand, on machine: DeviceName?, _ terms: RuleTerms = RuleTerms()
  ) -> String {
    command.stateInForce.map { inForce($0, command.payload, on: machine, terms) } ?? "It is done."
  }

  /// Returns the progress of a command in a few words, with the reason if it waits or failed.
  static func status(_ command: ConfigurationCommand) -> String {
    let detail: String? =
      switch command.status {
      case .stored: command.waitsFor.map { "waits for \($0)" }
      // `commands show` says the rest.
      case .superseded: nil
      default: command.reason
      }
    return command.status.rawValue + (detail.map { $0.isEmpty ? "" : ": " + $0 } ?? "")
  }

  static func cancelled(_ command: ConfigurationCommand, _ terms: RuleTerms = RuleTerms()) -> String {
    "Cancelled: \(request(command.payload, terms))."
  }

  /// Returns sentences on a command that cannot be taken back: why, and what can be done instead.
  static func kept(_ command: ConfigurationCommand, _ terms: RuleTerms) -> String {
    let what = request(command.payload, terms)
    if let edit = command.payload.value as? Edit {
      let rules =
        switch edit.registers.first?.zone {
        case .child(let id): terms.children[id].map { "`latchkey rules \(ShellWord.person($0))`" } ?? "`latchkey rules`"
        case .machine: "`latchkey accounts`"
        default: "`latchkey settings`"
        }
      return
        "This cannot be taken back, because it holds since it was set: \(what). Set what you want instead; \(rules) shows what holds."
    }
    let next =
      command.payload.value is TextMessage
      ? "Send another one with `latchkey message`." : "`latchkey commands show last` says how far the newest one is."
    return "This cannot be taken back any more, because it is \(progress(command, terms: terms)): \(what). \(next)"
  }

  /// Returns sentences about a command that something newer, of `author` if known, has superseded.
  static func overtaken(_ command: ConfigurationCommand, on machine: String, by author: String?) -> String {
    let newer = command.stateInForce.map { ": \(held($0))" } ?? ""
    let who = author.map { "\($0) has set something newer" } ?? "Something newer was set"
    return
      "\(who) on \(machine), which holds instead\(newer). This was superseded and changes nothing there: give it again if it is to "
      + "hold."
  }

  /// Returns how far a command has come, as the rest of a sentence about it.
  static func progress(
    _ command: ConfigurationCommand, on machine: DeviceName? = nil, peer: PeerStatus? = nil,
    terms: RuleTerms = RuleTerms()
  ) -> String {
    switch command.status {
    case .queued: peer?.isConnected == false ? "queued here until the other machine is back" : "queued here, on its way"
    case .stored:
      command.waitsFor.map { "stored on the other machine: waits for \(ShownText.safe($0))" }
        ?? "stored on the other machine, not yet in force"
    case .executed:
      "executed" + (command.stateInForce.map { ". " + inForce($0, command.payload, on: machine, terms) } ?? "")
    case .failed:
      "failed: " + ShownText.safe(command.reason ?? "the other machine gave no reason.")
        + (command.stateInForce.map { " It says that it holds \(held($0))." } ?? "")
    case .expired: "expired before it was executed"
    case .superseded:
      "superseded: something newer holds there instead" + (command.stateInForce.map { ", \(held($0))" } ?? "")
    case .cancelled: "cancelled before it was stored"
    }
  }
}

/// The names by which the words for commands call applications, children and accounts.
struct CommandTerms {
  private var terms: RuleTerms
  private var accounts: [DeviceID: [UInt32: String]] = [:]
  private var children: [ChildListing] = []

  /// Asks a node for the names, and leaves out those that it does not tell.
  init(at node: any NodeInterface, zone: TimeZone) async {
    terms = RuleTerms(zone: zone.identifier)
    for app in (try? await node.ask(Endpoints.getInstalled, (nil, nil)))?.flatMap(\.apps) ?? [] {
      terms.names[app.appID] = app.displayName
    }
    // A parent's name for an application outranks a machine's.
    for app in (try? await node.ask(Endpoints.getApps, nil))?.flatMap(\.apps) ?? []
    where app.displayName != app.appID.text { terms.names[app.appID] = app.displayName }
    children = (try? await node.ask(Endpoints.getChildren)) ?? []
    for child in children { terms.children[child.childID] = child.name.text }
    for listing in (try? await node.ask(Endpoints.getAccounts, nil)) ?? [] {
      accounts[listing.deviceID, default: [:]][listing.account.uid] = listing.account.name
    }
  }

  /// Asks a node for the names, on the family's clock.
  init(at node: any NodeInterface) async {
    await self.init(at: node, zone: (try? await FamilyClock(at: node).zone) ?? TerminalEnvironment.current.timeZone)
  }

  var names: [AppID: String] { terms.names }

  /// The names in words about a command, with the option that says whose the rules are.
  subscript(command: ConfigurationCommand) -> RuleTerms {
    var terms = self[command.target]
    switch (command.payload.value as? Edit)?.registers.first?.zone {
    case .family: terms.whose = "--family"
    case .child(let id): terms.whose = option(children.first { $0.childID == id })
    default: break
    }
    return terms
  }

  /// Returns the words about a machine's conditions, with the option that names its only child.
  func terms(on machine: DeviceID, _ name: DeviceName) -> RuleTerms {
    var terms = self[machine]
    let served = children.filter { $0.machines.contains(name) }
    terms.whose = served.count == 1 ? option(served[0]) : ""
    return terms
  }

  /// Returns the option that names a child; empty if it can be left out or a shell would change it.
  private func option(_ child: ChildListing?) -> String {
    guard children.count > 1, let name = child?.name.text, ShellWord.isPlain(name) else { return "" }
    return "--child \(ShellWord.person(name))"
  }

  /// The names in words about a machine.
  subscript(machine: DeviceID) -> RuleTerms {
    var terms = terms
    terms.accounts = accounts[machine] ?? [:]
    return terms
  }
}

import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The names by which the words for commands call applications, children and accounts.
struct CommandTerms {
  private var terms: RuleTerms
  private var accounts: [DeviceID: [UInt32: String]] = [:]
  private var children: [ChildListing] = []

  /// Asks a node for the names; those that it does not tell are left out.
  init(at node: any NodeInterface, zone: TimeZone) async {
    terms = RuleTerms(zone: zone.identifier)
    for app in (try? await node.ask(Endpoints.getInstalled, (nil, nil)))?.flatMap(\.apps) ?? [] {
      terms.names[app.appID] = app.displayName
    }
    // What a parent has named holds over what a machine tells.
    for app in (try? await node.ask(Endpoints.getApps, nil))?.flatMap(\.apps) ?? []
    where app.displayName != app.appID.text {
      terms.names[app.appID] = app.displayName
    }
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

  /// What people call applications.
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

  /// Returns the words about the conditions of a machine, with the option that names its only
  /// child.
  func terms(on machine: DeviceID, _ name: DeviceName) -> RuleTerms {
    var terms = self[machine]
    let served = children.filter { $0.machines.contains(name) }
    terms.whose = served.count == 1 ? option(served[0]) : ""
    return terms
  }

  /// Returns the option that names a child; empty if it can be left out, or if a shell would change
  /// the name.
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

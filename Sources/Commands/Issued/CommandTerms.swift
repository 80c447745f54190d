import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The names by which the words for commands call applications, children and accounts.
struct CommandTerms {
  private var terms: RuleTerms
  private var accounts: [DeviceID: [UInt32: String]] = [:]

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
    for child in (try? await node.ask(Endpoints.getChildren)) ?? [] { terms.children[child.childID] = child.name.text }
    for listing in (try? await node.ask(Endpoints.getAccounts, nil)) ?? [] {
      accounts[listing.deviceID, default: [:]][listing.account.uid] = listing.account.name
    }
  }

  /// The names in words about a machine.
  subscript(machine: DeviceID) -> RuleTerms {
    var terms = terms
    terms.accounts = accounts[machine] ?? [:]
    return terms
  }
}

import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

/// The accounts of children's machines.
///
/// Spec: Protocol/10-household.md §3.
extension Endpoints {
  static let accountRoutes: [any ServedEndpoint] = [getAccounts, waitForAccounts, assignAccount]

  package static let getAccounts = Endpoint(
    .get, "/v1/accounts", Query.device, browsers: .look, errors: [.unknownDevice, .ambiguousDevice],
    summary: "The accounts of people on children's machines; on a child its own."
  ) { call, device in try await call.accounts(on: device) }

  package static let waitForAccounts = Endpoint(
    .get, "/v1/devices/{device}/accounts/wait", Path.device, waits: true, errors: [.unknownDevice, .ambiguousDevice],
    summary: "The accounts of a child's machine, once it has told of them and it is known whose it is."
  ) { call, device in try await call.waitForAccounts(on: device) }

  package static let assignAccount = Endpoint(
    .post, "/v1/accounts/assign", Body.json(AccountRequest.self), on: .settings,
    errors: [.unknownDevice, .ambiguousDevice, .unknownChild, .ambiguousChild, .unknownItem],
    summary: "Says whose an account is, on a parent."
  ) { call, request in try await call.assignAccount(request) }
}

extension Call {
  func accounts(on device: String?) async throws -> [AccountListing] {
    let household = try await household()
    if role == .child {
      let accounts = try await store.accounts(of: own)
      return try await withPresence(
        (accounts + household.unlisted(on: own)).map { listing($0, of: own, context.name, household) }, household)
    }
    var wanted: DeviceID?
    if let device { wanted = try await self.device(device).device.deviceID }
    let listings = household.machines.filter { wanted == nil || $0.device == wanted }.flatMap { machine in
      (machine.accounts + household.unlisted(on: machine.device)).map {
        listing($0, of: machine.device, machine.name, household)
      }
    }
    return try await withPresence(listings, household)
  }

  /// Returns accounts with who is there in those that children share, as far as it is known here.
  private func withPresence(_ listings: [AccountListing], _ household: Household) async throws -> [AccountListing] {
    guard listings.contains(where: { $0.childNames.count > 1 }) else { return listings }
    let presence = try await presence(household)
    return listings.map { listing in
      var listing = listing
      switch presence.user(of: listing.account.uid, on: listing.deviceID) {
      case .child(let child): listing.present = household.title(of: child)
      case .together: listing.isUnnamed = true
      case .nobody, nil: break
      }
      return listing
    }
  }

  /// Returns the accounts of a child's machine once it is known whose it is, or after 5 s.
  fileprivate func waitForAccounts(on device: String) async throws -> [AccountListing] {
    let found = try await self.device(device).device.deviceID
    return try await once(within: 5_000, context.ownersKnown) { call in
      let peer = try await call.listed().first { $0.device.deviceID == found }
      return (try await call.accounts(on: found.description), peer?.hasOwners != false)
    }
  }

  fileprivate func assignAccount(_ request: AccountRequest) async throws -> AccountListing {
    let household = try await household()
    let (machine, account) = try await find(request, in: household)
    var named: [ChildID] = []
    for text in request.children { named.append(try await child(text)) }
    guard let owners = AccountOwners(named) else {
      throw LocalAPIError(.invalid, phrase: "An account is that of at most 8 children: name fewer.")
    }
    if account.uid == Account.unknownNumber {
      guard let key = HouseholdKey.account(named: account.name) else {
        throw LocalAPIError(.invalid, phrase: "That is no log-in name: give the name with which the child logs in.")
      }
      // One that no machine knows, such as a misspelt one, is taken back and leaves nothing.
      let isKnown = household.owners(ofAccountNamed: account.name, on: machine.device)?.isEmpty == false
      try await edit(
        owners.children.isEmpty && isKnown
          ? [RegisterChange(.machine(machine.device), key, nil)]
          : household.assigning(accountNamed: key, on: machine.device, to: owners))
    } else {
      try await edit(household.assigning(account, on: machine.device, to: owners))
    }
    try await showOwner(of: machine.device)
    return listing(account, of: machine.device, machine.name, try await self.household())
  }

  private func listing(
    _ account: Account, of device: DeviceID, _ name: DeviceName, _ household: Household
  ) -> AccountListing {
    let owners =
      account.uid == Account.unknownNumber
      ? household.owners(ofAccountNamed: account.name, on: device) : household.owners(of: account.uid, on: device)
    let names = (owners ?? []).compactMap { household.name(of: $0) }.map { DeviceName(sanitising: $0) }
    return AccountListing(
      deviceID: device, deviceName: name, account: account,
      owner: owners.map { $0.isEmpty ? .nobody : .child } ?? .open,
      childNames: names.sorted { $0.text.lowercased() < $1.text.lowercased() })
  }

  private func find(_ request: AccountRequest, in household: Household) async throws -> (Household.Machine, Account) {
    var machines = household.machines
    if let device = request.device {
      let id = try await self.device(device).device.deviceID
      machines = machines.filter { $0.device == id }
    }
    let found = machines.compactMap { machine in
      machine.accounts.first { $0.name == request.account || String($0.uid) == request.account }.map { (machine, $0) }
    }
    let name = DeviceName(sanitising: request.account)
    if found.isEmpty, request.isUnlisted == true {
      if request.account == "root" || request.account == "0" {
        throw LocalAPIError(
          .invalid, phrase: "Root's account is never supervised: a child needs an account of its own.")
      }
      if request.account.allSatisfy(\.isNumber) {
        throw LocalAPIError(
          .invalid,
          phrase: "Give the log-in name of the account and not its number: the machine has not told of the account yet."
        )
      }
      guard let machine = machines.first, machines.count == 1 else {
        throw LocalAPIError(
          .ambiguousDevice, phrase: "Say with --on on which machine the account “{account}” is.",
          ["account": .text("\(name)")])
      }
      return (machine, Account(uid: Account.unknownNumber, name: request.account, fullName: ""))
    }
    guard let match = found.first else {
      let known = machines.flatMap { $0.accounts.map(\.name) }
      let question = Spelling.question(for: request.account, among: known)
      let place = request.device == nil ? nil : machines.first?.name
      throw LocalAPIError(
        .unknownItem,
        (place.map { "“\($0)” has no account" } ?? "No machine of a child's has an account") + " called “\(name)”"
          + (question.isEmpty
            ? ": `latchkey accounts` lists them. If a directory service knows it and does not list it, add --unlisted."
            : ". \(question)"))
    }
    guard found.count == 1 else {
      throw LocalAPIError(
        .ambiguousDevice,
        phrase: "Several machines have an account called “{account}”: name one with --on, such as --on {machine}.",
        ["account": .text("\(name)"), "machine": .text(ShellWord.machine(match.0.name, match.0.device))])
    }
    return match
  }
}

/// An account of a child's machine, as the local API shows it.
package struct AccountListing: Hashable, Sendable, Codable {
  package enum Owner: String, Hashable, Sendable, Codable, CaseIterable {
    case child
    /// It is not supervised.
    case nobody
    /// Nobody has said it yet; it is not supervised.
    case open
  }

  package var deviceID: DeviceID
  package var deviceName: DeviceName
  package var account: Account
  package var owner: Owner
  /// The names of the children who use it, in their order; none if it is no child's.
  package var childNames: [DeviceName] = []
  /// The child who is there, if children share it and this node knows.
  package var present: DeviceName?
  /// A Boolean value that indicates whether children share it and nobody is named.
  package var isUnnamed = false

  package var phrase: Phrase {
    let names = childNames.map { Phrase.Argument.text(PrintableText.of($0.text)) }
    let arguments: [String: Phrase.Argument] = [
      "account": .text(PrintableText.of(account.name)), "machine": .text(PrintableText.of(deviceName.text)),
      "child": names.isEmpty ? .phrase(Phrase("a child")) : .list(names),
    ]
    return switch owner {
    case .child where childNames.count > 1:
      Phrase(
        """
        The account {account} on {machine} is shared by {child} now: the stricter rules hold until `latchkey me --i-am` \
        says who is there.
        """, arguments)
    case .child: Phrase("The account {account} on {machine} is {child}'s now.", arguments)
    case .nobody, .open: Phrase("The account {account} on {machine} is not supervised now.", arguments)
    }
  }
}

extension [AccountListing] {
  /// The first child whom a machine states for open accounts, with the log-in names of these.
  package var stated: (child: String, accounts: [String])? {
    let open = filter { $0.owner == .open }.map(\.account)
    guard let child = open.lazy.compactMap(\.statedChild).first(where: { ChildNames.split($0) == [$0] }) else {
      return nil
    }
    return (child, open.filter { $0.isStated(child) }.map(\.name))
  }

  package static func statement(_ machine: DeviceName, _ child: String, _ accounts: [String]) -> Phrase {
    Phrase(
      "{machine} says that {child} uses {accounts} there.",
      [
        "machine": machine.quotation, "child": .text(PrintableText.of(child)),
        "accounts": .list(accounts.map { .text(PrintableText.of($0)) }),
      ])
  }
}

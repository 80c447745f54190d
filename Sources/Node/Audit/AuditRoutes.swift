import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// Who did what.
///
/// Spec: Protocol/07-local-api.md §4.
extension Endpoints {
  static let auditRoutes: [any ServedEndpoint] = [getAudit]

  package static let getAudit = Endpoint(
    .get, "/v1/audit", Query.text("child", "Only about this child."),
    Query.text("device", "Only by this device or about it: its name, its ID, or a beginning of its ID."),
    Query.number("before", "Only entries before that of this number: the `next` of the page before."), Query.limit,
    browsers: .look, errors: [.unknownChild, .ambiguousChild, .unknownDevice, .ambiguousDevice],
    summary: "Who did what on this machine, or to what it holds, the newest first."
  ) { call, child, device, before, limit in
    try await call.audit(child: child, device: device, before: before, limit: limit)
  }
}

extension Call {
  fileprivate func audit(child: String?, device: String?, before: Int64?, limit: Int) async throws -> AuditPage {
    let wanted = try await childIfAny(child)
    let machine = try await auditedDevice(device)
    // One more says whether there is a next page.
    let rows = try await store.audit(AuditQuery(child: wanted, device: machine, before: before, limit: limit + 1))
    let words = try await auditWords()
    let shown = rows.prefix(limit)
    return AuditPage(entries: shown.map(words.entry), next: rows.count > limit ? shown.last?.number : nil)
  }

  /// Returns the device that a request names, which may be this one, or one that was removed.
  private func auditedDevice(_ text: String?) async throws -> DeviceID? {
    guard let text else { return nil }
    if DeviceID(text) == own || context.name.text.lowercased() == text.lowercased() { return own }
    return try await knownDevice(text)
  }

  private func auditWords() async throws -> AuditWords {
    let household = try await household()
    var titles: [ChildID: String] = [:]
    for child in household.children { titles[child.id] = household.title(of: child.id).text }
    var names = try await installedNames(of: nil, household)
    let apps = RuleSet.read(household.rules(of: nil), child: nil).rules.apps.compactMapValues(\.name)
    names.merge(apps) { _, named in named }
    var accounts: [DeviceID: [UInt32: String]] = [:]
    for (device, known) in household.machines.map({ ($0.device, $0.accounts) }) + [(own, household.ownAccounts)] {
      accounts[device] = Dictionary(known.map { ($0.uid, $0.name) }) { first, _ in first }
    }
    return AuditWords(
      names: try await self.names(), accounts: accounts,
      terms: RuleTerms(zone: boundary(household).zoneName, names: names, children: titles))
  }
}

private struct AuditWords {
  let names: FactNames
  /// The log-in names of the accounts of each machine, by their numbers.
  let accounts: [DeviceID: [UInt32: String]]
  let terms: RuleTerms

  func entry(_ row: AuditRow) -> AuditEntry {
    var entry = AuditEntry(
      number: row.number, at: row.at, by: names[row.author], action: row.action,
      target: DeviceID(row.target).map { names[$0].text } ?? row.target, old: row.old, new: row.new,
      through: row.through)
    guard row.action == "register.set", let (zone, key) = place(row.target) else { return entry }
    entry.target = ""
    var terms = terms
    if case .machine(let device) = zone { terms.accounts = accounts[device] ?? [:] }
    switch zone {
    case .family: entry.target = "family"
    case .child(let child): entry.childName = DeviceName(sanitising: terms.children[child] ?? "a child")
    case .machine(let device): entry.deviceName = names[device]
    }
    // Who wrote it last does not matter for the words.
    let register = Register(zone, key, row.new, modified: HybridTimestamp(wall: 0, counter: 0, author: row.author))
    entry.words = HouseholdKey.phrase([register], terms)
    entry.phrase = HouseholdKey.listed(register, terms)
    let before = Register(zone, key, row.old, modified: register.modified)
    entry.oldPhrase = HouseholdKey.held(before, terms)
    entry.old = entry.oldPhrase?.worded()
    entry.new = row.new.map { RuleText.value(key, $0, terms) }
    return entry
  }

  /// Returns the zone and the key of a register, as the audit writes them.
  private func place(_ text: String) -> (zone: Zone, key: RegisterKey)? {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, let key = RegisterKey(parts[1]) else { return nil }
    if parts[0] == "family" { return (.family, key) }
    let ends = parts[0].split(separator: "/", maxSplits: 1).map(String.init)
    switch ends.first {
    case "child": return ends.last.flatMap { ChildID($0) }.map { (.child($0), key) }
    case "machine": return ends.last.flatMap { DeviceID($0) }.map { (.machine($0), key) }
    default: return nil
    }
  }
}

/// A page of the audit, the newest entries first.
package struct AuditPage: Hashable, Sendable, Codable {
  package var entries: [AuditEntry]
  /// The `before` of the next page.
  package var next: Int64?
}

package struct AuditEntry: Hashable, Sendable, Codable {
  package var number: Int64
  /// Unix milliseconds.
  package var at: Int64
  package var by: DeviceName
  /// A word, such as `register.set`.
  package var action: String
  /// What it was done to: a device, a receiver or `family`; empty if the names below say it.
  package var target: String
  package var childName: DeviceName?
  package var deviceName: DeviceName?
  /// What was set, for people; `nil` for another action than `register.set`.
  package var words: String?
  package var phrase: Phrase?
  /// What there was before, for people.
  package var old: String?
  /// `old` as a phrase; `nil` for another action than `register.set`.
  package var oldPhrase: Phrase?
  /// What there is now, for people.
  package var new: String?
  /// The browser through which it was done; `nil` for the device itself.
  package var through: String?
}

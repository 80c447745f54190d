import LatchkeyModel
import LatchkeyRules

/// What is known here of who is there in accounts that several children share.
///
/// Spec: Protocol/10-household.md §3.
struct PresenceReading {
  let household: Household
  let own: DeviceID
  let running: [ChildStanding.Session]
  let connected: Set<DeviceID>

  /// Returns who is there in a shared account; `nil` for another one, and if it is not known.
  ///
  /// A machine that is connected tells at once for whom what runs counts. A long list leaves
  /// something out, and nothing follows from that.
  func user(of account: UInt32, on device: DeviceID) -> AccountUser? {
    let sharers = household.sharers(of: account, on: device)
    if sharers.isEmpty { return nil }
    if device == own { return household.user(of: account, on: device) }
    let told = running.filter { $0.device == device && !$0.isStale }
    guard connected.contains(device), told.count < RunningUse.most else { return nil }
    let users = Set(told.filter { $0.use.account == account }.compactMap(\.use.child)).intersection(sharers)
    if users.count == sharers.count { return .together(sharers) }
    return users.count == 1 ? users.first.map { .child($0) } : nil
  }
}

/// What holds for a child in the accounts that it shares, in words.
///
/// Spec: Protocol/11-rules.md §5.
extension Call {
  func presence(_ household: Household) async throws -> PresenceReading {
    let running = role == .parent ? try await context.running(at: context.now()) : []
    return PresenceReading(household: household, own: own, running: running, connected: context.members.connected)
  }

  /// Returns a sentence for each account that a child shares, on a child's node on its own machine:
  /// who is there, and whose rules hold.
  ///
  /// With an application and its name, it says what holds for that while nobody is named. At
  /// another moment than the present, it is not known who is there.
  func sharedSentences(
    of child: ChildID, _ household: Household, on app: (id: AppID, name: String)? = nil, at time: Int64? = nil
  ) async throws -> [Phrase] {
    let machines =
      role == .child
      ? [(own, "this machine", household.ownAccounts)]
      : household.machines(of: child).map { ($0.device, $0.name.text, $0.accounts) }
    let places = machines.flatMap { device, machine, accounts in
      accounts.map { (device, machine, $0, household.sharers(of: $0.uid, on: device)) }.filter { $0.3.contains(child) }
    }
    if places.isEmpty { return [] }
    let presence = try await presence(household)
    let machinesTold = app == nil ? [] : try await toldMachines(of: child, household)
    var sentences: [Phrase] = []
    for (device, machine, account, sharers) in places {
      let arguments: [String: Phrase.Argument] = [
        "machine": .text(machine), "children": household.names(of: sharers), "account": .text(account.name),
      ]
      let sentence =
        device == own
        ? Phrase("On this machine, {children} share the account {account}.", arguments)
        : Phrase("On {machine}, {children} share the account {account}.", arguments)
      let user = time == nil ? presence.user(of: account.uid, on: device) : nil
      let rest: Phrase
      if case .child(let present) = user {
        let name = household.title(of: present).text
        let now = Phrase("{child} is there now, so {child}'s rules hold in it.", ["child": .text(name)])
        rest = app == nil || present == child ? now : Self.both(now, Phrase(verbatim: naming(child, household)))
      } else {
        var together: (words: String, sentences: [String])?
        if let app {
          var there = machinesTold.filter { $0.device == device }
          for index in there.indices { there[index].accounts = [account.uid] }
          together = try await self.together(app.id, app.name, child, sharers, household, at: time, on: there)
        }
        rest =
          user == nil && time == nil && together == nil
          ? Self.notKnown : Self.strictest(isMeanwhile: user == nil, sharers.count, together)
      }
      sentences.append(Self.both(sentence, rest))
    }
    return sentences
  }

  private static func both(_ first: Phrase, _ second: Phrase) -> Phrase {
    Phrase("{first} {second}", ["first": .phrase(first), "second": .phrase(second)])
  }

  private static let notKnown = Phrase(
    "Who is there is not known here: the rules of a child who has said so hold, and otherwise the strictest.")

  /// Returns the sentence on whose rules hold, with what follows for an application.
  private static func strictest(
    isMeanwhile: Bool, _ count: Int, _ together: (words: String, sentences: [String])?
  ) -> Phrase {
    let hold =
      switch (isMeanwhile, count > 2) {
      case (true, true): Phrase("While nobody has said who is there, the strictest of their rules hold.")
      case (true, false): Phrase("While nobody has said who is there, the stricter of both rules holds.")
      case (false, true): Phrase("Nobody has said who is there, so the strictest of their rules hold.")
      case (false, false): Phrase("Nobody has said who is there, so the stricter of both rules holds.")
      }
    guard let together else { return hold }
    let first = String(hold.worded().dropLast()) + ": \(together.words)."
    return Phrase(verbatim: ([first] + together.sentences).joined(separator: " "))
  }

  private func naming(_ child: ChildID, _ household: Household) -> String {
    let name = household.title(of: child).text
    return "After `latchkey me --i-am \(ShellWord.person(name))` there, \(name)'s own rules hold."
  }

  /// Returns what holds for an application in an account while nobody is named, and sentences on
  /// what the machine does about it and how a child may use it; `nil` if only that machine knows
  /// what it is by the rules of each child.
  private func together(
    _ app: AppID, _ name: String, _ child: ChildID, _ sharers: [ChildID], _ household: Household, at time: Int64?,
    on machine: [ToldMachine]
  ) async throws -> (words: String, sentences: [String])? {
    let standings = try await standings(of: sharers, household, at: time)
    let builder = try await sharedBuilder(standings)
    guard role == .child || builder.isSame(app), let shared = builder.verdict(of: app) else { return nil }
    let standing = standings[shared.place]
    let whose = household.title(of: sharers[shared.place]).text
    let verdict = standing.shown(shared.verdict, of: Subject(app), name: name, whose: whose)
    let until = verdict.until.map { " until \(standing.clock($0))" } ?? ""
    let reason = verdict.rule == "unnamed" ? "nobody is there who pays for it" : verdict.reason?.worded()
    let words =
      "\(name) \(app.isOfMany ? "are" : "is") \(verdict.isAllowed ? "" : "not ")allowed there\(until)"
      + (reason.map { " (\($0))" } ?? "")
    if verdict.isAllowed { return (words, []) }
    let closing = MachineClosing(app, standings, isAllowed: false, on: machine)
    if closing.isLeftOpen { return ("\(words), but nothing closes it", closing.sentences) }
    let exception = closing.isPartlyOpen ? ", but \(app.isOfMany ? "they are" : "it is") not closed everywhere" : ""
    return (words + exception, closing.sentences + [naming(child, household)])
  }

  /// Returns what holds in an account here while nobody is named; `nil` without children.
  func unnamedToday(_ sharers: [ChildID], in account: UInt32, _ household: Household) async throws -> UnnamedToday? {
    let standings = try await standings(of: sharers, household, at: nil)
    guard let shared = SharedVerdict(strictest: standings.map(\.screenVerdict)), let child = sharers.first else {
      return nil
    }
    let standing = standings[shared.place]
    let whose = household.title(of: sharers[shared.place]).text
    var screen = standing.shown(shared.verdict, of: .unknown, name: "", whose: whose)
    var machines = try await toldMachines(of: child, household)
    for index in machines.indices { machines[index].accounts = [account] }
    if !screen.isAllowed { screen.reason = screen.reason.map { MachineClosing.besides($0, standings, on: machines) } }
    return UnnamedToday(
      sentence: household.unnamedSentence(sharers), screen: screen, at: standing.situation.time,
      zone: standing.rules.zone, apps: try await closedUnnamed(sharers, standings, household, on: machines))
  }

  /// Returns the applications that may not be used while nobody is named, by name.
  private func closedUnnamed(
    _ sharers: [ChildID], _ standings: [ChildStanding], _ household: Household, on machines: [ToldMachine]
  ) async throws -> [AppToday] {
    let builder = try await sharedBuilder(standings)
    let apps = standings.reduce(into: Set<AppID>()) { $0.formUnion($1.appIDs) }
    let closed = apps.compactMap { app -> AppToday? in
      guard let shared = builder.verdict(of: app), !shared.verdict.isAllowed else { return nil }
      let whose = household.title(of: sharers[shared.place]).text
      var shown = standings[shared.place].shown(app, shared.verdict, whose: whose)
      shown.note(MachineClosing(app, standings, isAllowed: false, on: machines))
      return shown
    }
    return closed.sorted { ($0.displayName, $0.appID) < ($1.displayName, $1.appID) }
  }

  private func sharedBuilder(_ standings: [ChildStanding]) async throws -> SharedOrdersBuilder {
    let installed = role == .child ? try await store.installedMatchers() : [:]
    return SharedOrdersBuilder(
      builders: standings.map {
        OrdersBuilder(standing: $0, state: context.enforcementState, installed: installed)
      })
  }

  /// Returns what holds for each child while nobody is named.
  private func standings(
    of children: [ChildID], _ household: Household, at time: Int64?
  ) async throws -> [ChildStanding] {
    var standings: [ChildStanding] = []
    for child in children {
      var standing = try await context.standing(of: child, household, at: time)
      standing.installed = try await installedNames(of: child, household)
      standings.append(standing.unnamed)
    }
    return standings
  }
}

extension ChildStanding {
  /// Returns a time on the family's clock, with the date if it is not soon.
  fileprivate func clock(_ time: Int64) -> String {
    let text = rules.boundary.clock(at: time)
    return time - situation.time < 72_000_000 ? String(text.suffix(5)) : text
  }
}

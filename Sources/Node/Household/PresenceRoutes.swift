import LatchkeyModel
import LatchkeyStore
import LatchkeySystem

extension Route.Place {
  fileprivate static let sharedAccount = Route.Place.child(
    "This is a parent's machine: say who is there on the child's, in the account that is shared.")
}

/// Who is there in an account that several children share.
///
/// Spec: Protocol/10-household.md §3.
extension Endpoints {
  static let presenceRoutes: [any ServedEndpoint] = [getPresence, setPresence]

  package static let getPresence = Endpoint(
    .get, "/v1/me/present", whoMay: .operatorsAndSharers, on: .sharedAccount,
    summary: "Who shares the account that the caller uses, and who is there, on a child."
  ) { call in
    try await call.sharedAccount()
  }

  package static let setPresence = Endpoint(
    .post, "/v1/me/present", Body.json(PresenceRequest.self), whoMay: .operatorsAndSharers, on: .sharedAccount,
    errors: [.unknownChild, .limit],
    summary: "Says with a child's PIN who is there in the account that the caller uses, or that nobody is, on a child."
  ) { call, request in
    try await call.setPresence(request)
  }
}

/// Who shares an account of a child's machine, and who is there, as the local API shows it.
package struct SharedAccount: Hashable, Sendable, Codable {
  /// The children who share it; none for an account of one child or none.
  package var children: [DeviceName]
  /// The child who is there; `nil` if nobody has said who is.
  package var present: DeviceName?
}

extension Call {
  /// The shortest time between two changes of who is there in an account, in milliseconds: each
  /// makes a record of every program that runs.
  private static let changeMilliseconds: Int64 = 10_000

  fileprivate func sharedAccount() async throws -> SharedAccount {
    let household = try await household()
    let sharers = household.sharers(of: caller.userID, on: own)
    let present = sharers.isEmpty ? nil : household.user(of: caller.userID, on: own).onlyChild
    return SharedAccount(
      children: sharers.map { household.title(of: $0) }, present: present.map { household.title(of: $0) })
  }

  fileprivate func setPresence(_ request: PresenceRequest) async throws -> SharedAccount {
    let household = try await household()
    let account = caller.userID
    let sharers = household.sharers(of: account, on: own)
    guard !sharers.isEmpty else {
      throw LocalAPIError(
        .invalid,
        "Several children do not share this account, so that nobody has to say who is there: run `latchkey me`.")
    }
    let child = try request.child.map { try household.sharer($0, among: sharers) }
    let before = try await store.presentChildren().first { $0.account == account && $0.bootID == context.bootID }
    if before?.child == child { return try await sharedAccount() }
    if let before {
      let rest = Self.changeMilliseconds - (context.now() - before.since)
      if rest > 0 {
        throw LocalAPIError(
          .limit, "Somebody has just said who is there: try again in \((rest + 999) / 1_000) seconds.")
      }
    }
    if let child { try await check(request.pin, of: child, household) }
    try await node.usage.setPresent(
      PresentChild(
        account: account, child: child, bootID: context.bootID, since: context.now(),
        sessions: SystemAccounts.logIns(of: account).sorted()))
    context.presenceChanges.notify()
    context.changes.notify()
    forget()
    return try await sharedAccount()
  }

  /// Throws an error unless a PIN is a child's.
  ///
  /// A PIN counts as wrong until it has proved right, which is durable before it is compared.
  private func check(_ text: String?, of child: ChildID, _ household: Household) async throws {
    let name = household.title(of: child)
    guard let hash = household.rules(for: child).pin else {
      throw LocalAPIError(
        .invalid,
        "\(name) has no PIN yet: a parent gives one with `latchkey children pin \(ShellWord.person(name.text))`.")
    }
    guard let pin = text.flatMap({ PIN($0) }) else {
      throw LocalAPIError(.invalid, "The PIN is missing: give that of \(name), 4 to 12 digits.")
    }
    let wait = try await store.tryPIN(of: child, in: context.bootID, at: context.now())
    if wait > 0 {
      throw LocalAPIError(
        .limit, "Too many wrong PINs were given for \(name): try again in \(Self.waiting(wait)).")
    }
    if await PINWork.matches(pin, hash) { return }
    let next = try await store.wrongPINs(of: child)?.wait(in: context.bootID, at: context.now()) ?? 0
    throw LocalAPIError(
      .forbidden,
      "That is not the PIN of \(name): try again" + (next > 0 ? " in \(Self.waiting(next))." : "."))
  }
}

extension Call {
  /// Returns a wait, rounded up, such as `40 s` or `2 min`.
  private static func waiting(_ milliseconds: Int64) -> String {
    SpanText.of(milliseconds < 60_000 ? milliseconds + 999 : milliseconds + 59_999)
  }
}

extension Household {
  /// Returns the child that a person named, of those who share an account.
  fileprivate func sharer(_ text: String, among sharers: [ChildID]) throws(LocalAPIError) -> ChildID {
    let word = DeviceName(sanitising: text).text.lowercased()
    let names = sharers.map { (child: $0, name: title(of: $0).text) }
    let exact = names.filter { $0.name.lowercased() == word || $0.child.description == word }
    let found = exact.isEmpty ? names.filter { $0.name.lowercased().hasPrefix(word) } : exact
    guard let only = found.first, found.count == 1, !word.isEmpty else {
      throw LocalAPIError(
        .unknownChild,
        "“\(DeviceName(sanitising: text))” is not one of the children who share this account: give "
          + "\(Self.choice(names.map(\.name))).")
    }
    return only.child
  }

  /// Returns what a person is told who uses an account in which nobody has said who is there.
  func unnamedSentence(_ sharers: [ChildID]) -> String {
    let names = sharers.map { title(of: $0).text }
    return
      "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") share this account, and nobody has said who is "
      + "here: type `latchkey me --i-am \(ShellWord.person(names.last ?? ""))`, or with another of these names."
  }

  private static func choice(_ names: [String]) -> String {
    "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }
}

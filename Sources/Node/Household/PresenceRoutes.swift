import Dispatch
import LatchkeyModel
import LatchkeySystem

/// Who is there in an account that several children share.
///
/// Spec: Protocol/10-household.md §3.
extension Endpoints {
  static let presenceRoutes: [any ServedEndpoint] = [getPresence, setPresence]

  private static let sharedAccount = Route.Place.child(
    "This is a parent's machine: say who is there on the child's, in the account that is shared.")

  package static let getPresence = Endpoint(
    .get, "/v1/me/present", whoMay: .operatorsAndSharers, on: sharedAccount,
    summary: "Who shares the account that the caller uses, and who is there, on a child."
  ) { call in try await call.sharedAccount() }

  package static let setPresence = Endpoint(
    .post, "/v1/me/present", Body.json(PresenceRequest.self), whoMay: .operatorsAndSharers, on: sharedAccount,
    errors: [.unknownChild, .limit],
    summary: "Says with a child's PIN who is there in the account that the caller uses, or that nobody is, on a child."
  ) { call, request in try await call.setPresence(request) }
}

package struct SharedAccount: Hashable, Sendable, Codable {
  package var children: [DeviceName]
  package var present: DeviceName?
  /// What holds while nobody has said who is there.
  package var unnamed: UnnamedToday?
}

/// What holds in an account while several children share it and nobody has said who is there.
package struct UnnamedToday: Hashable, Sendable, Codable {
  /// Who shares the account, and how a child says who is there.
  package var sentence: Phrase
  /// What holds for all screen time by the strictest of the children's rules.
  package var screen: VerdictToday
  /// The moment that this is about, in Unix milliseconds.
  package var at: Int64
  /// The family's IANA zone.
  package var zone: String
  /// The applications that the strictest of the children's rules close now.
  package var apps: [AppToday] = []
}

extension Call {
  /// The shortest time from a change of who is there to the naming of a child, in milliseconds.
  ///
  /// Each change makes a record of every program that runs. A child may leave at once, so that
  /// there are at most two changes in this time. The instant of the last change is durable.
  private static let changeMilliseconds: Int64 = 10_000

  fileprivate func sharedAccount() async throws -> SharedAccount {
    let household = try await household()
    let sharers = household.sharers(of: caller.userID, on: own)
    let present = sharers.isEmpty ? nil : household.user(of: caller.userID, on: own).onlyChild
    return SharedAccount(
      children: sharers.map { household.title(of: $0) }, present: present.map { household.title(of: $0) },
      unnamed: present == nil ? try await unnamedToday(sharers, in: caller.userID, household) : nil)
  }

  fileprivate func setPresence(_ request: PresenceRequest) async throws -> SharedAccount {
    let household = try await household()
    let account = caller.userID
    let sharers = household.sharers(of: account, on: own)
    guard !sharers.isEmpty else {
      throw LocalAPIError(
        .invalid,
        phrase: """
          Several children do not share this account, so that nobody has to say who is there: run `latchkey me`. If they \
          are to share it, a parent gives it to each of them with `latchkey accounts assign`.
          """)
    }
    let child = try request.child.map { try household.sharer($0, among: sharers) }
    let before = try await store.presentChildren().first { $0.account == account && $0.bootID == context.bootID }
    if before?.child == child { return try await sharedAccount() }
    if let child {
      let rest = before.map { Self.changeMilliseconds - (context.now() - $0.since) } ?? 0
      if rest > 0 {
        throw LocalAPIError(
          .limit, phrase: "Somebody has just said who is there: try again in {time}.",
          ["time": .phrase(Self.waiting(min(rest, Self.changeMilliseconds)))])
      }
      guard try await isProven(request.pin, of: child, household) else { return try await sharedAccount() }
    }
    try await node.usage.setPresent(
      PresentChild(
        account: account, child: child, bootID: context.bootID, since: context.now(),
        sessions: SystemAccounts.logIns(of: account).sorted()))
    context.presenceChanges.notify()
    context.changes.notify()
    forget()
    return try await sharedAccount()
  }

  /// Returns whether a PIN is a child's; `false` if none is given, and one would be taken now.
  ///
  /// A PIN counts as wrong until it has proved right, which is durable before it is compared. So a
  /// program can ask without a PIN before a person types one, and learns of each other refusal.
  private func isProven(_ text: String?, of child: ChildID, _ household: Household) async throws -> Bool {
    let name = household.title(of: child)
    guard let hash = household.rules(for: child).pin else {
      throw LocalAPIError(
        .invalid, phrase: "{child} has no PIN yet: a parent gives one with `latchkey children pin {word}`.",
        ["child": .text(name.text), "word": .text(ShellWord.person(name.text))])
    }
    let pin = text.flatMap { PIN($0) }
    let wait =
      pin == nil
      ? try await waitAfterWrongPINs(of: child)
      : try await store.tryPIN(of: child, in: context.bootID, at: context.now())
    if wait > 0 {
      throw LocalAPIError(
        .limit, phrase: "Too many wrong PINs were given for {child}: try again in {time}.",
        ["child": .text(name.text), "time": .phrase(Self.waiting(wait))])
    }
    guard let pin else { return false }
    if await PINWork.matches(pin, hash) { return true }
    let next = try await waitAfterWrongPINs(of: child)
    guard next > 0 else {
      throw LocalAPIError(.forbidden, phrase: "That is not the PIN of {child}: try again.", ["child": .text(name.text)])
    }
    throw LocalAPIError(
      .forbidden, phrase: "That is not the PIN of {child}: try again in {time}.",
      ["child": .text(name.text), "time": .phrase(Self.waiting(next))])
  }

  private func waitAfterWrongPINs(of child: ChildID) async throws -> Int64 {
    try await store.wrongPINs(of: child)?.wait(in: context.bootID, at: context.now()) ?? 0
  }

  private static func waiting(_ milliseconds: Int64) -> Phrase {
    SpanText.phrase(of: milliseconds < 60_000 ? milliseconds + 999 : milliseconds + 59_999)
  }
}

extension Household {
  fileprivate func sharer(_ text: String, among sharers: [ChildID]) throws(LocalAPIError) -> ChildID {
    let word = DeviceName(sanitising: text).text.lowercased()
    let names = sharers.map { (child: $0, name: title(of: $0).text) }
    let exact = names.filter { $0.name.lowercased() == word || $0.child.description == word }
    let found = exact.isEmpty ? names.filter { $0.name.lowercased().hasPrefix(word) } : exact
    guard let only = found.first, found.count == 1, !word.isEmpty else {
      throw LocalAPIError(
        .unknownChild, phrase: "{name} is not one of the children who share this account: give {names}.",
        ["name": DeviceName(sanitising: text).quotation, "names": .either(names.map(\.name))])
    }
    return only.child
  }

  /// Returns what a person is told who uses an account in which nobody has said who is there.
  func unnamedSentence(_ sharers: [ChildID]) -> Phrase {
    let last = sharers.last.map { title(of: $0).text } ?? ""
    return Phrase(
      """
      {children} share this account, and nobody has said who is here: type `latchkey me --i-am {name}`, or with another of \
      these names.
      """, ["children": names(of: sharers), "name": .text(ShellWord.person(last))])
  }

  func names(of children: [ChildID]) -> Phrase.Argument { .list(children.map { .text(title(of: $0).text) }) }
}

/// A service that ends who is there in a shared account with the account's log-in sessions.
struct PresenceService: Sendable {
  let context: NodeContext
  let usage: UsageService
  /// Milliseconds between two looks at the log-in sessions while somebody is named.
  private static let pause: Int64 = 5_000

  func run() async {
    await context.presenceChanges.follow(retry: Self.pause, "who is there could not be looked at", context.logger) {
      guard context.profile.role == .child else { return nil }
      let named = try await context.store.presentChildren().filter { $0.child != nil }
      var isNamed = false
      for present in named {
        guard present.hasEnded(boot: context.bootID, sessions: SystemAccounts.logIns(of: present.account)) else {
          isNamed = isNamed || !present.sessions.isEmpty
          continue
        }
        try await usage.setPresent(context.nobody(after: present), after: present)
        context.logger.notice(
          "nobody is named in a shared account any more", metadata: ["number": "\(present.account)"])
      }
      return isNamed ? Self.pause : nil
    }
  }
}

/// The slow work with PINs, one after another on a thread of its own: it holds up no event loop and
/// needs the memory of one check at a time.
enum PINWork {
  private static let queue = DispatchQueue(label: "latchkey.pin")

  /// Returns what a PIN is kept as; `nil` if there is no memory for it.
  static func hash(_ pin: PIN) async -> PINHash? { await run { PINHash(hashing: pin) } }

  static func matches(_ pin: PIN, _ hash: PINHash) async -> Bool { await run { hash.matches(pin) } }

  private static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
  }
}

import Glibc
import LatchkeyModel
import LatchkeyStore

extension Call {
  /// Returns the child that a request names; throws if a child's account names another one.
  func child(_ text: String) async throws -> ChildID {
    if caller.child != nil { return try caller.own(text) }
    return try await household().find(text)
  }

  /// Returns the child that a request names, for a child's account the child itself; `nil` for all
  /// children.
  func childIfAny(_ text: String?) async throws -> ChildID? {
    guard let text else { return caller.child?.id }
    return try await child(text)
  }

  /// Returns the child that a request names; otherwise the child whose account it is, also if that
  /// runs the node; otherwise the only child.
  ///
  /// With `orFamily`, the request can mean the whole family instead.
  func childOrOnly(_ text: String?, orFamily: Bool = false) async throws -> ChildID {
    if let child = try await childIfAny(text) { return child }
    let household = try await household()
    let children = household.children
    // On a child's own machine, the account tells who types.
    if role == .child, children.count > 1, let child = household.user(of: caller.userID, on: own).onlyChild {
      return child
    }
    if children.count != 1 { throw LocalAPIError.notOneChild(children.map(\.name), orFamily: orFamily) }
    return children[0].id
  }

  func callersChild() async throws -> ChildID {
    let household = try await household()
    switch household.user(of: caller.userID, on: own) {
    case .child(let child): return child
    case .together(let children): throw LocalAPIError(.unknownChild, phrase: household.unnamedSentence(children))
    case .nobody:
      throw LocalAPIError(
        .unknownChild,
        phrase: household.children(of: own).isEmpty
          ? Phrase(
            """
            Nobody has said whose machine this is: run `latchkey pair` here and on a parent's, or `latchkey devices rename` \
            there, with --child, if they are paired.
            """)
          : Phrase(
            "This account is no child's: {command} on a parent's machine says whose it is.",
            ["command": .text(assigning(household))]))
    }
  }

  /// Returns the command that makes the caller's account a child's of this machine.
  private func assigning(_ household: Household) -> String {
    let account = household.ownAccounts.first { $0.uid == caller.userID }?.name ?? "\(caller.userID)"
    let child = household.children(of: own).first.map { ShellWord.person(household.title(of: $0).text) }
    guard let child, ShellWord.isPlain(account) else { return "`latchkey accounts assign`" }
    return "`latchkey accounts assign \(account) --child \(child)`"
  }
}

extension LocalAPIError {
  /// Returns the answer to a request that names no child, if there is none or more than one.
  static func notOneChild(_ children: [String], orFamily: Bool) -> LocalAPIError {
    let names = children.map(PrintableText.of)
    return switch (children.isEmpty, orFamily) {
    case (true, false):
      LocalAPIError(.unknownChild, phrase: "No child is known here yet: `latchkey children` lists them.")
    case (true, true):
      LocalAPIError(
        .unknownChild,
        phrase: "There is no child yet whose rules these could be: run `latchkey children add` with its name.")
    case (false, _):
      LocalAPIError(
        .ambiguousChild, phrase: "There is more than one child: say which, {names}.", ["names": .either(names)])
    }
  }
}

extension Caller {
  /// Returns the child whose account it is; throws `LocalAPIError` if the request may name another
  /// one.
  func own(_ text: String) throws(LocalAPIError) -> ChildID {
    let word = text.lowercased()
    // A beginning that fits a sibling's name as well means the caller: a child can ask about itself
    // alone.
    guard let child, !word.isEmpty, child.name.text.lowercased().hasPrefix(word) || child.id.description == word else {
      throw ControlFailure.ofAnotherChild.error
    }
    return child.id
  }
}

extension Household {
  /// Returns the child that a person named, by its name or a beginning that fits no other child.
  func find(_ text: String) throws(LocalAPIError) -> ChildID {
    let typed = DeviceName(sanitising: text)
    let word = typed.text.lowercased()
    let children = children
    let ways: [((id: ChildID, name: String)) -> Bool] = [
      { $0.name == typed.text }, { $0.name.lowercased() == word }, { $0.name.lowercased().hasPrefix(word) },
      { $0.id.description == word },
    ]
    for fits in ways {
      let found = children.filter(fits)
      if found.count > 1 {
        let isOneName = Set(found.map { $0.name.lowercased() }).count < found.count
        let shown = found.map { isOneName ? namesake($0) : $0.name }.joined(separator: " and ")
        throw LocalAPIError(
          .ambiguousChild,
          "“\(typed)” fits \(shown): " + (isOneName ? "give the ID of one of them." : "give more of the name."))
      }
      if let child = found.first { return child.id }
    }
    let question = Spelling.question(for: word, among: children.map(\.name))
    throw LocalAPIError(
      .unknownChild,
      children.isEmpty
        ? "No child has been added yet: run `latchkey children add \(typed)`."
        : "There is no child called “\(typed)”"
          + (question.isEmpty ? ": `latchkey children` lists their names." : ". \(question)"))
  }

  /// Returns a child's name with what distinguishes it from another of the same name: its machines
  /// and its ID.
  private func namesake(_ child: (id: ChildID, name: String)) -> String {
    let machines = machines(of: child.id).map { "“\($0.name)”" }
    let place = machines.isEmpty ? "without a machine" : "on \(machines.joined(separator: ", "))"
    return "\(DeviceName(sanitising: child.name)) \(place) (\(child.id))"
  }

  func title(of child: ChildID) -> DeviceName { DeviceName(sanitising: name(of: child) ?? "a child") }
}

/// The devices that people name; see `DeviceSearch`.
extension Call {
  func device(_ text: String) async throws -> PeerRecord {
    let peers = try await active()
    do { return try Self.find(text, among: peers) } catch {
      guard error.code == .unknownDevice, !peers.isEmpty, let household = try? await household(),
        let child = household.name(ofChildWithoutMachine: text)
      else { throw error }
      throw LocalAPIError(
        .unknownDevice,
        phrase: """
          {child} has no machine yet: run `latchkey pair` here and there, or give {child} an account with `latchkey accounts \
          assign`.
          """, ["child": .text(child.text)])
    }
  }

  /// Returns a device of the list: a paired one, or a removed one that does not know of its
  /// removal.
  func listedDevice(_ text: String) async throws -> PeerRecord { try Self.find(text, among: await listed()) }

  func listedDevices(_ text: String?) async throws -> [PeerRecord] {
    guard let text else { return try await listed() }
    return [try await listedDevice(text)]
  }

  /// Returns a device whose history is stored, even if it was removed; paired devices take
  /// precedence.
  func knownDevice(_ text: String?) async throws -> DeviceID? {
    guard let text else { return nil }
    if let peer = try? await device(text) { return peer.device.deviceID }
    return try Self.find(text, among: await peers()).device.deviceID
  }

  private static func find(_ text: String, among peers: [PeerRecord]) throws(LocalAPIError) -> PeerRecord {
    do { return try DeviceSearch.find(text, among: peers) { DeviceSearch.Label($0.device) } } catch {
      throw LocalAPIError(error)
    }
  }
}

extension PeerRecord {
  /// A Boolean value that indicates whether the device is shown: it is paired, or does not know of
  /// its removal.
  var isListed: Bool { state == .active || state == .removedUntold }
}

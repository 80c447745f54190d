import LatchkeyModel
import LatchkeyNode

/// The wizard's questions about the children whose machine joins, and about their accounts there.
///
/// Spec: Protocol/10-household.md §1, §3.
struct OwnerQuestions {
  let node: any NodeInterface
  let console: any Console
  let prompt: WizardPrompt

  /// The largest number of names that a question lists.
  private static let most = 6

  /// Asks whose machine it is; returns the names, separated by commas, or nothing for nobody.
  func askNames() async throws -> String {
    let known = ((try? await node.ask(Endpoints.getChildren)) ?? []).map(\.name.text)
    while true {
      let line = try await prompt.line(Self.question(known))
      var names: [String] = []
      do throws(DeviceNameError) {
        for typed in ChildNames.split(line) { names.append(try DeviceName(typed).text) }
        // All of them are noted as one name.
        if names.count > 1 { _ = try DeviceName(names.joined(separator: ", ")) }
      } catch {
        console.noteWrapped(error == .empty ? "The name is empty: enter one, or nothing." : error.description)
        continue
      }
      return try await confirmed(names, known)
    }
  }

  private static func question(_ known: [String]) -> String {
    let names = known.prefix(most).map(ShownText.safe).joined(separator: ", ")
    let choices =
      known.isEmpty
      ? "a name such as Emma, two such as Emma, Ben, or nothing"
      : "\(names)\(known.count > most ? ", …" : ""), other names, with commas, or nothing"
    return "Whose machine will this be? (\(choices))"
  }

  /// Returns the names, or those of similar known children where the person means these.
  private func confirmed(_ names: [String], _ known: [String]) async throws -> String {
    var chosen: [String] = []
    for name in names {
      if let exact = known.first(where: { $0.lowercased() == name.lowercased() }) {
        chosen.append(exact)
        continue
      }
      let begun = known.first { $0.lowercased().hasPrefix(name.lowercased()) }
      guard let similar = begun ?? Spelling.suggestions(for: name, among: known).first else {
        chosen.append(name)
        continue
      }
      let answer = try await prompt.line(
        "Is that \(ShownText.quoted(DeviceName(sanitising: similar)))? (y, or n for another child called "
          + "\(ShownText.safe(name)))")
      chosen.append(answer.lowercased().hasPrefix("n") ? name : similar)
    }
    return ChildNames.split(chosen.joined(separator: ", ")).joined(separator: ", ")
  }

  /// Prints whose the accounts of the machine are, and asks for a child whose name no account fits.
  ///
  /// If no child was named, it offers the one that the machine states for its accounts.
  func tellAccounts(_ progress: PairingProgress, of names: [String]) async throws {
    guard progress.outcome == .ok, let device = progress.device, device.role == .child else { return }
    let id = device.deviceID.description
    // Both machines are paired: `latchkey accounts` can say later what cannot be asked now.
    guard var accounts = try? await node.ask(Endpoints.waitForAccounts, id) else { return }
    var names = names
    if names.isEmpty, let child = try await offered(accounts, on: device) {
      names = [child]
      accounts = try await node.ask(Endpoints.getAccounts, id)
    }
    var told: [AccountListing] = []
    for name in names {
      let own = accounts.filter { account in
        account.owner == .child && account.childNames.contains { $0.text.lowercased() == name.lowercased() }
      }
      // One sentence names all children who share an account.
      for account in own where !told.contains(account) { console.noteWrapped(Self.assigned(account)) }
      told += own
      if own.isEmpty { try await askAccount(of: name, on: id) }
    }
  }

  /// Asks whether a machine belongs to the child that it states for its open accounts, and if so
  /// assigns it to that child, whose name it returns.
  ///
  /// It is `nil` if the machine states no child, or if the person says no.
  private func offered(_ accounts: [AccountListing], on device: RegisteredDevice) async throws -> String? {
    guard let (child, theirs) = accounts.stated else { return nil }
    let statement = [AccountListing].statement(device.name, child, Array(theirs.prefix(Self.most))).worded()
    let answer = try? await prompt.line(
      "\(statement) Is it \(ShownText.safe(child))'s machine? (y, or nothing to say it later)")
    guard answer?.lowercased().hasPrefix("y") == true else {
      console.noteWrapped("Say later whose machine it is with `latchkey devices rename`.")
      return nil
    }
    let result = try await node.ask(
      Endpoints.renameDevice, (device.deviceID.description, RenameRequest(childName: child)))
    console.noteWrapped(DevicesRenameSubcommand.sentence(result, isRenamed: false))
    return child
  }

  private static func assigned(_ account: AccountListing) -> String {
    "\(AccountText.sentence(account)) If that is wrong, say whose it is with `latchkey accounts assign`."
  }

  /// Asks which account is a child's, if there are accounts that are not assigned yet.
  private func askAccount(of name: String, on device: String) async throws {
    let open = try await node.ask(Endpoints.getAccounts, device).filter { $0.owner == .open }
    guard !open.isEmpty else {
      return console.noteWrapped(
        "No account there is \(ShownText.safe(name))'s yet: `latchkey accounts` lists them once the machine has told of them."
      )
    }
    let choices = open.prefix(Self.most).map { Self.choice($0.account) }.joined(separator: ", ")
    let more = open.count > Self.most ? ", …" : ""
    while true {
      guard
        let line = try? await prompt.line(
          "Which account there is \(ShownText.safe(name))'s? (\(choices)\(more), or nothing to say it later)"),
        line.contains(where: { !$0.isWhitespace })
      else {
        return console.noteWrapped(
          "Say later which account there is \(ShownText.safe(name))'s with `latchkey accounts assign`.")
      }
      let typed = line.split(separator: " ").joined(separator: " ")
      do throws(LocalAPIError) {
        let result = try await node.ask(
          Endpoints.assignAccount, AccountRequest(device: device, account: typed, children: [name]))
        return console.noteWrapped(AccountText.sentence(result))
      } catch {
        guard error.code == .unknownItem || error.code == .invalid else { throw error }
        console.noteWrapped(ShownText.safe(error.message))
      }
    }
  }

  /// Returns how an account is listed in a question: `emma`, `emma (Emma Maier)` or `em2012 (Emma's
  /// by the machine's word)`.
  private static func choice(_ account: Account) -> String {
    let name = ShownText.safe(account.name)
    let hasFullName = !account.fullName.isEmpty && account.fullName != account.name
    let more = [hasFullName ? ShownText.safe(account.fullName) : nil, AccountText.statement(account)].compactMap(\.self)
    return more.isEmpty ? name : "\(name) (\(more.joined(separator: "; ")))"
  }
}

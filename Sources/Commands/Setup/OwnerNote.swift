import LatchkeyAgent
import LatchkeyModel

/// Reads whose a child's machine and its accounts are, and words it as what a parent does about it.
///
/// The machine decides nothing: a parent pairs it and says whose it is.
enum OwnerNote {
  /// Reads the values of `--child` and `--account`, of which the latter is `LOGIN=CHILD`, or `LOGIN` if there is one child.
  static func read(children: [String], accounts: [String]) throws -> MachineOwners {
    var owners = MachineOwners()
    for child in children { owners.add(try DeviceName(child)) }
    for text in accounts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let child: DeviceName
      if parts.count == 2 {
        child = try DeviceName(parts[1])
      } else if let only = owners.claims.first, owners.claims.count == 1 {
        child = only.child
      } else {
        throw TerminalFailure(.usage, "Say whose account it is: --account \(ShownText.safe(text))=CHILD.")
      }
      guard TextRule.accountName.fault(in: parts[0]) == nil else {
        throw TerminalFailure(.usage, "An account is given as LOGIN=CHILD, such as --account emma=Emma.")
      }
      guard owners.add(parts[0], to: child) else {
        throw TerminalFailure(.usage, "The account \(parts[0]) was given to two children: choose one of them.")
      }
    }
    return owners
  }

  /// Returns the options of `latchkey init` that say the same.
  static func options(_ owners: MachineOwners) -> [String] {
    owners.claims.flatMap { claim in
      ["--child", claim.child.text] + claim.accounts.flatMap { ["--account", "\($0)=\(claim.child.text)"] }
    }
  }

  /// Returns the command by which a parent pairs the machine.
  static func pairing(_ owners: MachineOwners) -> String {
    let names = owners.claims.map(\.child.text).joined(separator: ", ")
    // All of them are noted as one name.
    guard ShellWord.isPlain(names), (try? DeviceName(names)) != nil else { return "`latchkey pair`" }
    return "`latchkey pair --for \(word(names, "NAME"))`"
  }

  /// Returns the commands by which a parent says whose the accounts are.
  static func assignments(_ owners: MachineOwners, on machine: String) -> [String] {
    owners.claims.flatMap { claim in
      claim.accounts.map { account in
        "`latchkey accounts assign \(word(account, "ACCOUNT")) --on \(word(machine, "MACHINE")) "
          + "--child \(word(claim.child.text, "CHILD"))`"
      }
    }
  }

  /// Returns a text as a word of a command line, or a placeholder for one in which a shell may find something to expand.
  private static func word(_ text: String, _ placeholder: String) -> String {
    guard ShellWord.isPlain(text) else { return placeholder }
    return text.allSatisfy { $0.isLetter || $0.isNumber } ? text : "\"\(text)\""
  }
}

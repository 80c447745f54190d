import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct AccountsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "Show and say to whom each account belongs.",
    discussion: """
      A child's accounts are the child's on every machine. Others, such as a parent's own, are not supervised, and neither is an account that nobody has decided about. \
      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey accounts
      """,
    subcommands: [
      AccountsListSubcommand.self, AccountsAssignSubcommand.self, AccountsIgnoreSubcommand.self,
    ], defaultSubcommand: AccountsListSubcommand.self)
}

struct AccountOptions: ParsableArguments {
  @Argument(help: .value("account", "The log-in name of the account, or its number.")) var account: String

  @Option(on: "The machine, if several have such an account.") var on: String?

  @Flag(help: "For an account of a directory service that does not list its accounts.") var unlisted = false

  /// Assigns the account to children or to nobody, and says whose it is then.
  func assign(to children: [String], at node: any NodeInterface) async throws -> AccountListing {
    let before = try await node.ask(Endpoints.getAccounts, on)
    let result = try await node.ask(
      Endpoints.assignAccount,
      AccountRequest(device: on, account: account, children: children, isUnlisted: unlisted ? true : nil))
    let old = before.first { $0.deviceID == result.deviceID && $0.account.uid == result.account.uid }
    console.note(AccountText.sentence(result, before: old))
    return result
  }
}

struct AccountsListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the accounts of the children's machines.",
    discussion: "Example: latchkey accounts list --on \"Emma's PC\"")

  @OptionGroup var listing: ListingOptions

  @Option(on: "Only of this machine.") var on: String?

  func run() async throws {
    let interface = try await listing.node.open()
    let accounts = try await interface.ask(Endpoints.getAccounts, on)
    if listing.format == .json { return try console.write(JSONText.pretty(accounts)) }
    try console.write(
      TableText.render(
        ["Machine", "Account", "Name", "Belongs to"], spare: [2], wrap: [0, 3],
        rows: accounts.map { account in
          [
            account.deviceName.text, ShownText.safe(account.account.name), ShownText.safe(account.account.fullName),
            AccountText.owner(account),
          ]
        }, empty: "No child's machine has told of its accounts yet: pair one with `latchkey pair`."))
    if let open = accounts.first(where: { $0.owner == .open }) {
      let children = try await interface.ask(Endpoints.getChildren)
      console.note(Self.sentence(open, children.map(\.name.text)))
    }
  }

  /// Returns the commands for an account that is not assigned.
  private static func sentence(_ open: AccountListing, _ children: [String]) -> String {
    let account = "\(ShellWord.person(open.account.name)) --on \(ShellWord.machine(open.deviceName, open.deviceID))"
    let assign =
      if children.count == 1, ShellWord.isPlain(children[0]) {
        "give it to \(children[0]) with `latchkey accounts assign \(account) --child \(ShellWord.person(children[0]))`"
      } else {
        "give it to a child with `latchkey accounts assign \(account)` and --child with the child's name"
      }
    return
      "In an account that is not assigned, nothing is counted or closed: \(assign), or leave it alone with `latchkey accounts ignore "
      + "\(account)`."
  }
}

struct AccountsAssignSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assign", abstract: "Say that an account is a child's, or that of several children.",
    discussion: """
      Give --child several times for an account that they share. There, the stricter rules hold until a child says who is there \
      with a PIN: `latchkey children pin`, `latchkey me --i-am`.

      Example: latchkey accounts assign emma --on "Emma's PC" --child Emma
      Example: latchkey accounts assign home --on "Family PC" --child Emma --child Ben
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var account: AccountOptions

  @Option(
    parsing: .singleValue, help: .value("child", "The child; again for each who shares the account."),
    completion: CompletionNames.children)
  var child: [String]

  func run() async throws {
    let interface = try await node.open()
    let result = try await account.assign(to: child, at: interface)
    guard result.childNames.count > 1 else { return }
    let children = try await interface.ask(Endpoints.getChildren)
    for name in result.childNames where children.contains(where: { $0.name == name && !$0.hasPIN }) {
      console.note(
        "\(ShownText.safe(name.text)) has no PIN to say who is there: give one with `latchkey children pin "
          + "\(ShellWord.person(name.text))`.")
    }
  }
}

struct AccountsIgnoreSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ignore", abstract: "Say that an account is no child's.",
    discussion: """
      For a parent's or a guest's account on a child's machine.

      Example: latchkey accounts ignore tom --on "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var account: AccountOptions

  func run() async throws { _ = try await account.assign(to: [], at: node.open()) }
}

enum AccountText {
  static func owner(_ account: AccountListing) -> String {
    if account.account.uid == Account.unknownNumber { return known(account) + ", not known there yet" }
    guard account.owner == .child, account.childNames.count > 1 else { return known(account) }
    let there =
      account.present.map { "; \(ShownText.safe($0.text)) is there" }
      ?? (account.isUnnamed ? "; nobody has said who is there" : "")
    return "\(known(account)) share it\(there)"
  }

  private static func known(_ account: AccountListing) -> String {
    switch account.owner {
    case .child:
      account.childNames.isEmpty ? "a child" : ShownText.list(account.childNames.map { ShownText.safe($0.text) })
    case .nobody: "not supervised"
    case .open: "not assigned" + (statement(account.account).map { "; \($0)" } ?? "")
    }
  }

  /// Returns whose an account is by the word of the machine's owner.
  static func statement(_ account: Account) -> String? {
    account.statedChild.map { "\(ShownText.safe($0))'s by the machine's word" }
  }

  /// Returns whose an account is now and, if it was another child's, whose it was.
  static func sentence(_ account: AccountListing, before: AccountListing? = nil) -> String {
    let lost = before.map { $0.childNames.filter { !account.childNames.contains($0) } } ?? []
    if !lost.isEmpty {
      let old = ShownText.list(lost.map { ShownText.safe($0.text) })
      return sentence(account)
        + " It was \(old)'s until now, who loses this machine unless another account there is \(old)'s."
    }
    if account.account.uid == Account.unknownNumber {
      let name = "The account \(ShownText.safe(account.account.name)) on \(ShownText.safe(account.deviceName.text))"
      let isShared = account.childNames.count > 1
      let whose =
        account.owner == .child
        ? isShared ? "will be shared by \(known(account))" : "will be \(known(account))'s" : "will not be supervised"
      return "\(name) \(whose) as soon as the machine knows it: `latchkey accounts` shows when it does."
    }
    return account.phrase.worded()
  }
}

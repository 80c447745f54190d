import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct ChildrenSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "children", abstract: "The children of the family.",
    discussion: """
      A child is a person: rules, use and points are the child's, on every machine where the child has an account. A child is \
      named by its name, or by a beginning of it that fits no other child.

      Example: latchkey children
      """,
    subcommands: [
      ChildrenListSubcommand.self, ChildrenAddSubcommand.self, ChildrenRenameSubcommand.self,
      ChildrenPINSubcommand.self, ChildrenRemoveSubcommand.self,
    ], defaultSubcommand: ChildrenListSubcommand.self)
}

struct ChildArgument: ParsableArguments {
  @Argument(help: .value("child", "The child's name, or the beginning of it."), completion: CompletionNames.children)
  var child: String
}

/// A child, who can be left out if there is only one.
struct OnlyChildArgument: ParsableArguments {
  @Argument(
    help: .value("child", "The child; may be left out if there is only one."), completion: CompletionNames.children)
  var child: String?
}

struct ChildrenListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the children with their machines.",
    discussion: "Example: latchkey children list --format json")

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let children = try await listing.node.open().ask(Endpoints.getChildren)
    if listing.format == .json { return try console.write(JSONText.pretty(children)) }
    try console.write(
      TableText.render(
        ["Child", "Machines"], spare: [], wrap: [1],
        rows: children.map { [ChildText.name($0, among: children), ChildText.machines($0)] },
        empty: "No child has been added yet: run `latchkey children add Emma`, or pair a child's machine."))
    let notes = children.compactMap(ChildText.untold) + children.compactMap(ChildText.elsewhere)
    for sentence in notes + children.flatMap(ChildText.disagreements) { console.note(sentence) }
  }
}

struct ChildrenAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a child.",
    discussion: """
      A child is also added when a machine is paired for it. This is for a child whose machine comes later.

      Example: latchkey children add Emma
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: .value("name", "The child's name.")) var name: String

  func run() async throws {
    let child = try await node.open().ask(Endpoints.addChild, ChildNameRequest(name: name))
    console.note(
      "\(ShownText.quoted(child.name)) is a child of the family now. Say which accounts are \(child.name)'s with "
        + "`latchkey accounts assign`.")
  }
}

struct ChildrenRenameSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a child another name.",
    discussion: """
      The child's machines and the other parents hear of it at once, or when they are next in touch.

      Example: latchkey children rename Emma --to Emmy
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var argument: ChildArgument

  @Option(help: .value("name", "The new name.")) var to: String

  func run() async throws {
    let child = try await node.open().ask(Endpoints.renameChild, (argument.child, ChildNameRequest(name: to)))
    console.note("The child is called \(ShownText.quoted(child.name)) now.")
    if let sentence = ChildText.untold(child) { console.note(sentence) }
  }
}

struct ChildrenRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a child from the family.",
    discussion: """
      The child's machines stay paired, and the child's accounts belong to no child from then on. What was recorded stays. On a terminal it \
      asks first.

      Example: latchkey children remove Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var argument: ChildArgument

  func run() async throws {
    let interface = try await node.open()
    let found = try await interface.ask(Endpoints.getRules, argument.child).child
    try await confirmation.confirm("Remove \(ShownText.quoted(found.name)) from the family, with all rules?")
    let child = try await interface.ask(Endpoints.removeChild, found.childID.description)
    let machines =
      child.machines.isEmpty
      ? "" : " \(ChildText.machines(child)) \(child.machines.count == 1 ? "stays" : "stay") paired."
    console.note("\(ShownText.quoted(child.name)) is removed.\(machines)")
  }
}

enum ChildText {
  /// Returns a child's name, with its ID if another child is called the same.
  static func name(_ child: ChildListing, among children: [ChildListing]) -> String {
    let namesakes = children.count { $0.name.text.lowercased() == child.name.text.lowercased() }
    return namesakes > 1 ? "\(child.name.text) (\(child.childID))" : child.name.text
  }

  /// Returns a sentence for each machine that claims to be the child's, or that another parent has
  /// taken from the child.
  static func disagreements(_ child: ChildListing) -> [String] {
    let name = ShownText.safe(child.name.text)
    let claimed = child.claimed.map { machine in
      "\(ShownText.quoted(machine)) says that it is \(name)'s, which this parent has not said: it gets nothing of \(name)'s from "
        + "here. If it is, say so with `latchkey devices rename \(ShellWord.person(machine.text)) --child "
        + "\(ShellWord.person(child.name.text))`."
    }
    let taken = child.taken.map { taken in
      "\(ShownText.quoted(taken.machine)) is \(name)'s no more: \(ShownText.quoted(taken.by)) has taken it from \(name), or removed "
        + "\(name). It gets nothing of \(name)'s from here. `latchkey devices rename "
        + "\(ShellWord.person(taken.machine.text)) --child \(ShellWord.person(child.name.text))` gives it back, `latchkey children remove "
        + "\(ShellWord.person(child.name.text))` removes \(name) here as well."
    }
    return claimed + taken
  }

  static func machines(_ child: ChildListing) -> String {
    child.machines.isEmpty ? "no machine yet" : child.machines.map { ShownText.safe($0.text) }.joined(separator: ", ")
  }

  /// Returns a sentence about the machines that do not know the last change yet.
  static func untold(_ child: ChildListing) -> String? {
    guard !child.untold.isEmpty else { return nil }
    let names = child.untold.map { ShownText.safe($0.text) }
    return "\(ShownText.list(names)) \(names.count == 1 ? "has" : "have") not confirmed the last change about "
      + "\(ShownText.safe(child.name.text)) yet: `latchkey devices` shows whether \(names.count == 1 ? "it is" : "they are") in touch."
  }

  /// Returns a sentence about the child's machines that only other parents are paired with.
  static func elsewhere(_ child: ChildListing) -> String? {
    guard child.elsewhere > 0 else { return nil }
    let name = ShownText.safe(child.name.text)
    return child.elsewhere == 1
      ? "\(name) has one more machine, which is not paired with this one and gets nothing from here: set the same on its "
        + "parent's machine, or pair it with this one."
      : "\(name) has \(child.elsewhere) more machines, which are not paired with this one and get nothing from here: set "
        + "the same on their parent's machine, or pair them with this one."
  }
}

struct ChildrenPINSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Give a child a PIN for accounts that several children share.",
    discussion: """
      With it, the child says who is there: `latchkey me --i-am`. It is asked for twice, or read from standard input, and every \
      machine of the child's knows it as soon as it is in touch.

      Example: latchkey children pin Ben
      Example: latchkey children pin Ben --remove
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var argument: ChildArgument

  @Flag(help: "Remove the PIN.") var remove = false

  func run() async throws {
    let interface = try await node.open()
    let found = try await interface.ask(Endpoints.getRules, argument.child).child
    let name = ShownText.safe(found.name.text)
    let pin = remove ? nil : try await PINPrompt.askForNew(of: name)
    let child = try await interface.ask(Endpoints.setPIN, (found.childID.description, ChildPINRequest(pin: pin)))
    console.note(
      remove
        ? "\(name) has no PIN now, and cannot say who is there in an account that is shared."
        : "\(name) has a new PIN. In an account that is shared, `latchkey me --i-am \(ShellWord.person(found.name.text))` asks for it."
    )
    if let sentence = ChildText.untold(child) { console.note(sentence) }
  }
}

import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct GroupAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add applications to a group; those that are in it stay.",
    discussion: """
      Example: latchkey apps group add Blocks luanti
      Example: latchkey apps group add Blocks luanti --child Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions
  @OptionGroup var chosen: GroupMemberArguments

  @Flag(help: "The applications may be ones that are not installed yet, given by their IDs.")
  var new = false

  func run() async throws {
    try await RuleIssue.set(
      chosen.request(.add, isNew: new), of: whose.owner, at: node.open(), options: options)
  }
}

struct GroupDropSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Take applications out of a group, which keeps its others and its rules.",
    discussion: "Example: latchkey apps group drop Blocks minetest")

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions
  @OptionGroup var chosen: GroupMemberArguments

  func run() async throws {
    try await RuleIssue.set(
      chosen.request(.remove, isNew: false), of: whose.owner, at: node.open(), options: options)
  }
}

struct GroupMemberArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("What the group is called.", valueName: "group"), completion: CompletionNames.groups)
  var name: String

  @Argument(
    help: ArgumentHelp("The applications, by their names or IDs.", valueName: "application"),
    completion: CompletionNames.apps)
  var apps: [String]

  mutating func validate() throws {
    try GroupChoice.check(name)
    let apps = GroupChoice.apps(apps)
    guard !apps.isEmpty else { throw ValidationError("Name the applications, by their names or IDs.") }
    for app in apps { try AppChoice.check(app) }
  }

  func request(_ edit: RuleRequest.MemberEdit, isNew: Bool) -> RuleRequest {
    RuleRequest([], isNew: isNew ? true : nil, group: name, members: GroupChoice.apps(apps), memberEdit: edit)
  }
}

import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// Names that a shell completes: those of the running node's machines, children, applications and
/// commands.
///
/// Without a node, and after a second without an answer, there are none. A name can be another
/// machine's text, and bash expands what it is offered: a name that is not plain is left out, and
/// its machine offered by its ID.
enum CompletionNames {
  /// Paired machines and their children.
  static let devices = kind { node in
    try await node.ask(Endpoints.getDevices).flatMap { peer in
      let label = DeviceSearch.Label(peer.device)
      return [ShellWord.isPlain(label.name.text) ? label.name.text : label.deviceID.short] + label.children
    }
  }

  static let children = kind { node in try await node.ask(Endpoints.getChildren).map(\.name.text) }

  /// Applications that have rules or are installed, by ID and by name.
  static let apps = kind { node in
    let ruled = try await node.ask(Endpoints.getApps, nil).flatMap(\.apps).flatMap { [$0.appID.text, $0.displayName] }
    let installed = try await node.ask(Endpoints.getInstalled, (nil, nil)).flatMap(\.apps)
    return ruled + installed.flatMap { [$0.appID.text, $0.displayName] }
  }

  /// Groups of applications, of each child and of the family.
  static let groups = kind { node in try await rules(at: node).compactMap { RuleKey($0.key)?.group?.text } }

  /// Days: `today`, `tomorrow`, and those to which parents have given names.
  static let days = kind(["today", "tomorrow"]) { node in
    try await rules(at: node).filter { RuleKey($0.key)?.entry == DayRule.name.entry }.map(\.value)
  }

  /// The children who share the account of the person at the terminal.
  static let sharers = kind { node in
    try await node.ask(Endpoints.getPresence).children.map(\.text) + ["nobody"]
  }

  private static func rules(at node: any NodeInterface) async throws -> [RuleListing] {
    var rules = try await node.ask(Endpoints.getSettings).rules
    for child in try await node.ask(Endpoints.getChildren) {
      rules += try await node.ask(Endpoints.getRules, child.childID.description).rules
    }
    return rules
  }

  /// Programs that were refused, by name; by ID where the name does not tell which is meant.
  static let refused = kind { node in
    let refused = try await node.ask(Endpoints.getRefused, nil)
    return refused.filter(\.isAllowable).map { program in
      let isOne = ShellWord.isPlain(program.displayName) && !refused.contains { RefusedText.isNamesake($0, program) }
      return isOne ? program.displayName : program.appID.text
    }
  }

  static let commands = kind(["last"]) { node in
    try await node.ask(Endpoints.getCommands, (nil, 20)).map(\.commandID.description)
  }

  static let receivers = kind { node in try await node.ask(Endpoints.getReceivers).map(\.name) }

  /// Phones that are let in, by name.
  static let browsers = kind { node in try await node.ask(Endpoints.getBrowsers).map(\.label) }

  /// Returns a completion by fixed words and the names that the node gives.
  private static func kind(
    _ words: [String] = [], _ names: @escaping @Sendable (any NodeInterface) async throws -> [String]
  ) -> CompletionKind {
    .custom { (typed: [String], _: Int, _: String) async -> [String] in words + (await ask(typed, names)) }
  }

  /// The longest time that a shell is kept waiting.
  private static let patience = Duration.seconds(1)

  private static func ask(
    _ words: [String], _ names: @escaping @Sendable (any NodeInterface) async throws -> [String]
  ) async -> [String] {
    let environment = TerminalEnvironment.current
    let folder = NodeOptions.nodeFolder(named: stateFolder(in: words))
    let found = await withTaskGroup(of: [String].self) { group in
      group.addTask { (try? await names(environment.openNode(folder))) ?? [] }
      group.addTask {
        try? await Task.sleep(for: patience)
        return []
      }
      defer { group.cancelAll() }
      return await group.next() ?? []
    }
    var seen: Set<String> = []
    return offered(found, by: CompletionShell.requesting).filter { seen.insert($0).inserted }
  }

  /// Returns the plain names among some, as a shell's script takes them.
  static func offered(_ names: [String], by shell: CompletionShell?) -> [String] {
    let plain = names.filter(ShellWord.isPlain)
    // The script gives them to `compgen -W`, which reads quotation marks and expands the rest.
    guard shell == .bash else { return plain }
    return plain.map { "'" + $0.replacing("'", with: "'\\''") + "'" }
  }

  private static func stateFolder(in words: [String]) -> String? {
    if let index = words.firstIndex(of: "--state-dir"), words.indices.contains(index + 1) { return words[index + 1] }
    return words.first { $0.hasPrefix("--state-dir=") }.map { String($0.dropFirst("--state-dir=".count)) }
  }
}

/// The script with which bash completes commands.
enum CompletionScript {
  /// Returns the script in which a command without the name of a subcommand is completed as its
  /// default one, as the parser takes it; any other text as it is.
  ///
  /// The argument parser's script offers the names of subcommands alone after such a command, as
  /// after `latchkey sync --on`.
  static func completed(_ text: String) -> String {
    guard text.contains("__latchkey_offer_flags_options() {") else { return text }
    return adding(LatchkeyTool.self, ["_latchkey"], to: text)
  }

  private static func adding(_ type: any ParsableCommand.Type, _ path: [String], to text: String) -> String {
    var text = text
    for subcommand in type.below {
      guard let name = subcommand.configuration.commandName else { continue }
      text = adding(subcommand, path + [name], to: text)
    }
    guard let name = type.configuration.defaultSubcommand?.configuration.commandName else { return text }
    let names = type.below.compactMap { $0.configuration.commandName } + ["-h", "--help", "--version"]
    let head = "\n\(path.joined(separator: "_"))() {\n"
    let step = """
          # Words without the name of a subcommand are those of \(name).
          case "${unparsed_words[0]}" in
          \(names.joined(separator: "|"))) ;;
          *) [[ "${#unparsed_words[@]}" -gt 1 ]] && unparsed_words=(\(name) "${unparsed_words[@]}") ;;
          esac

      """
    return text.replacing(head, with: head + step)
  }
}

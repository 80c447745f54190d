import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The option that names the owner of an application's rules: a child, or the whole family.
struct AppOwner: ParsableArguments {
  @Option(
    help: ArgumentHelp("The child; may be left out if there is only one.", valueName: "child"),
    completion: CompletionNames.children)
  var child: String?

  @Flag(help: "For all children: what is set for one child holds instead.")
  var family = false

  /// A machine, which is refused with a sentence: rules belong to a child.
  @Option(name: .customLong("on"), help: .hidden)
  var machine: String?

  mutating func validate() throws {
    if machine != nil {
      throw ValidationError(
        "Rules are a child's and hold on all machines of the child's, so --on does not fit here: name the child with --child, "
          + "or leave it out if there is only one.")
    }
    if family, child != nil {
      throw ValidationError("A rule is one child's or the family's: give --child or --family.")
    }
  }

  /// The owner of the rules, and the applications that have rules for it.
  struct Found {
    /// The child; `nil` for the family.
    var child: ChildListing?
    /// The applications that have rules for the owner, and those installed on its machines.
    var known: KnownApps
    /// The applications that have rules for the owner.
    var apps: [AppListing] { known.apps }

    var owner: RuleOwner { child.map { .child($0.name.text) } ?? .family }
  }

  /// Returns whose rules are meant.
  ///
  /// - Throws: `TerminalFailure` if there are several children and none is named.
  func find(at node: any NodeInterface) async throws -> Found {
    let listings = try await node.ask(Endpoints.getApps, family ? nil : child)
    if family {
      return Found(child: nil, known: try await KnownApps(listings.flatMap(\.apps), of: nil, at: node))
    }
    let found = try Self.only(listings.compactMap(\.child))
    return Found(child: found, known: try await KnownApps(listings[0].apps, of: found.childID, at: node))
  }

  /// Returns the owner without looking at its rules.
  ///
  /// - Throws: `TerminalFailure` if there are several children and none is named.
  func name(at node: any NodeInterface) async throws -> RuleOwner {
    if family { return .family }
    if let child { return .child(child) }
    return .child(try Self.only(try await node.ask(Endpoints.getChildren)).name.text)
  }

  private static func only(_ children: [ChildListing]) throws(TerminalFailure) -> ChildListing {
    if children.count > 1 {
      let names = children.map { ShownText.safe($0.name.text) }
      throw TerminalFailure(
        .unknownName,
        "There is more than one child: name \(names.joined(separator: " or ")) with --child, or give --family for all of them."
      )
    }
    guard let child = children.first else {
      throw TerminalFailure(
        .unknownName, "There is no child yet whose rules these could be: run `latchkey children add` with its name.")
    }
    return child
  }
}

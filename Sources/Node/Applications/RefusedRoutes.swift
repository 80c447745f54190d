import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules

/// The programs that children's machines have refused because no parent has listed them.
///
/// Spec: Protocol/11-rules.md §5.
extension Endpoints {
  static let refusedRoutes: [any ServedEndpoint] = [getRefused]

  package static let getRefused = Endpoint(
    .get, "/v1/refused", Query.text("child", "The child; all children if it is absent."),
    browsers: .look, errors: [.unknownChild, .ambiguousChild],
    summary:
      "The programs that children's machines have refused because no parent has listed them; on a child its own."
  ) { call, child in try await call.refusedPrograms(of: call.childIfAny(child)) }
}

extension Call {
  /// Returns the refused programs that are not listed by now, the newest of each machine first.
  fileprivate func refusedPrograms(of wanted: ChildID?) async throws -> [RefusedListing] {
    let household = try await household()
    let known = try await store.inventories(RefusedProgram.self)
    let machines =
      role == .child
      ? [(device: own, name: context.name)] : household.machines.map { (device: $0.device, name: $0.name) }
    var names: [ChildID: NewApps] = [:]
    var listings: [RefusedListing] = []
    for machine in machines {
      guard let told = known[machine.device] else { continue }
      let newest = told.entries.enumerated().sorted {
        ($1.element.refusedAt, $0.offset) < ($0.element.refusedAt, $1.offset)
      }
      for (_, program) in newest {
        for child in household.children(of: program.account, on: machine.device)
        where wanted ?? child == child {
          let rules = household.rules(for: child)
          guard rules.isUnlisted(program) else { continue }
          if names[child] == nil { names[child] = NewApps(try await knownApps(of: child)) }
          guard let listed = names[child]?.app(of: program), let name = names[child]?.name(of: listed.id, program.name)
          else { continue }
          listings.append(
            RefusedListing(
              deviceID: machine.device, deviceName: machine.name, childID: child, childName: household.title(of: child),
              appID: listed.id, isNew: listed.isNew, isRefusedNow: rules.programs == .listed, displayName: name.text,
              newName: name.isNew ? name.text : nil, matcher: listed.matcher?.text, file: program.file,
              isReplaceable: program.isReplaceable, isInterpreter: program.interpreter != nil,
              showsScript: program.interpreter.map(ScriptInterpreters.showsScript) ?? false,
              isListed: rules.isListed(listed.id), category: rules.app(listed.id).category,
              isAlwaysAllowed: rules.app(listed.id).isAlwaysAllowed, isBlocked: rules.app(listed.id).isBlocked,
              matchers: (rules.apps[listed.id]?.matchers ?? []).map(\.text), refusedAt: program.refusedAt,
              more: told.more))
        }
      }
    }
    return listings
  }

  /// Returns a sentence on a refused program of a name or an ID, with the command that allows it.
  func refusal(of text: String, for child: ChildID?) async throws -> String? {
    let word = text.lowercased()
    let found = try await refusedPrograms(of: child).first { program in
      [program.displayName.lowercased(), program.appID.text.lowercased()].contains(word)
    }
    guard let found else { return nil }
    let (name, whose) = (PrintableText.of(found.displayName), ShellWord.person(found.childName.text))
    return "“\(name)” was closed on \(PrintableText.of(found.deviceName.text)) because it is not listed: "
      + (!found.isAllowable
        ? "`latchkey apps refused --child \(whose)` says how it is allowed."
        : "`latchkey apps allow \(ShellWord.person(found.displayName)) --child \(whose)` allows it.")
  }
}

/// The IDs under which a child's refused programs can be listed.
///
/// A program that is no known application gets an ID that no application has, even if the child has
/// named its file after one. The ID follows from the program's matcher: another file of that name
/// never gets the ID that a parent has read.
private struct NewApps {
  private let known: KnownApps
  private var ids: [AppMatcher: AppID] = [:]

  init(_ known: KnownApps) { self.known = known }

  mutating func app(of program: RefusedProgram) -> (id: AppID, isNew: Bool, matcher: AppMatcher?)? {
    switch program.target {
    case .app(let id): return (id, isFree(id), nil)
    case .matcher(let matcher):
      if let app = program.app { return (app, isFree(app), matcher) }
      guard let id = ids[matcher] ?? freshID(program.name, matcher) else { return nil }
      ids[matcher] = id
      return (id, true, matcher)
    }
  }

  /// Returns the name by which a person can name an application, and whether it must be set.
  ///
  /// It is the name that the parent knows, or else that of the program. A name that another
  /// application or a group has, or that cannot be typed, gives way to the ID.
  func name(of id: AppID, _ program: String) -> (text: String, isNew: Bool) {
    let own = known.name(of: id)
    let names = (own == id.text ? [] : [own]) + [program]
    for name in names where Self.isTyped(name) && isApp(name, id) { return (name, false) }
    return own == id.text && Self.isTyped(program) && isFree(program) ? (program, true) : (id.text, false)
  }

  /// Words that commands take for something else than one application.
  private static let words = Set(AppCategory.allCases.map(\.rawValue) + ["all", "any", "every", "everything", "none"])

  private static func isTyped(_ name: String) -> Bool {
    ShellWord.isPlain(name) && !words.contains(name.lowercased()) && TextRule.displayName.fault(in: name) == nil
  }

  private func isApp(_ name: String, _ id: AppID) -> Bool {
    do { return try known.match(name, isWhole: true) == id } catch { return false }
  }

  private func isFree(_ name: String) -> Bool {
    // A text that fits several applications is taken as well.
    do { return try known.match(name, isWhole: true) == nil && !known.isGroup(name) } catch { return false }
  }

  private func isFree(_ id: AppID) -> Bool { isFree(id.text) }

  /// Returns an ID like a name, with a mark of the matcher; `nil` if very many like it are taken.
  private func freshID(_ name: String, _ matcher: AppMatcher) -> AppID? {
    let mark = Hexadecimal.encode(SHA256.hash(Array(matcher.text.utf8)).prefix(AppID.markBytes))
    let base = "\(AppID.word(of: name))-\(mark)"
    for number in 1...99 {
      guard let id = AppID(number == 1 ? base : "\(base)-\(number)") else { return nil }
      if !id.isOfMany, isFree(id) { return id }
    }
    return nil
  }
}

extension AppID {
  /// The bytes of a matcher's hash that stand in the ID under which its program is listed.
  fileprivate static let markBytes = 4

  /// Returns the beginning of a program's ID by the name of its file.
  fileprivate static func word(of name: String) -> String {
    let characters = name.unicodeScalars.map { scalar -> Unicode.Scalar in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || "._+".unicodeScalars.contains(scalar) ? scalar : "-"
    }
    // A word that begins with a dash or a dot looks like an option or a hidden file.
    let text = String(String.UnicodeScalarView(characters)).drop { "-.".contains($0) }
    return text.isEmpty ? "program" : String(text.prefix(200))
  }

  /// Returns whether it may be the ID under which a refused file of that name was listed.
  func isOfRefused(_ name: String) -> Bool {
    let (id, start) = (text.lowercased(), Self.word(of: name).lowercased() + "-")
    guard id.hasPrefix(start) else { return false }
    let parts = id.dropFirst(start.count).split(separator: "-", omittingEmptySubsequences: false)
    guard let mark = parts.first, mark.count == 2 * Self.markBytes, mark.allSatisfy(\.isHexDigit) else { return false }
    return parts.count == 1 || parts.count == 2 && !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber)
  }
}

/// A program that a child's machine has refused, as `GET /v1/refused` lists it.
package struct RefusedListing: Hashable, Sendable, Codable {
  package var deviceID: DeviceID
  package var deviceName: DeviceName
  package var childID: ChildID
  package var childName: DeviceName
  /// The ID of the application that is given a category so that the program may run.
  package var appID: AppID
  /// A Boolean value that indicates whether nothing is known of that application yet.
  package var isNew: Bool
  /// A Boolean value that indicates whether only listed programs may run for the child now.
  package var isRefusedNow: Bool
  /// The name by which a person can name the application from now on; its ID if there is none.
  package var displayName: String
  /// The name to set as well, so that it is known by `displayName`.
  package var newName: String?
  /// The matcher to set as well, as a person writes it.
  package var matcher: String?
  /// The path of the program's file, if the child can replace it.
  package var file: String?
  /// A Boolean value that indicates whether the matcher is the place of that file, so that it would
  /// allow whatever the child puts there.
  package var isReplaceable = false
  /// A Boolean value that indicates whether the matcher is a whole interpreter, shell or dynamic
  /// loader, so that it would allow whatever that is given.
  package var isInterpreter = false
  /// A Boolean value that indicates whether a matcher can allow a script of it alone.
  package var showsScript = false
  /// A Boolean value that indicates whether the application needs the matcher alone.
  package var isListed = false
  /// The application's category, also one by default.
  package var category: AppCategory?
  package var isAlwaysAllowed = false
  /// A Boolean value that indicates whether it stays closed when it is listed.
  package var isBlocked = false
  package var matchers: [String] = []
  /// The time of the last refusal, in milliseconds of household time.
  package var refusedAt: Int64
  /// The number of refused programs for which its machine's list has no room.
  package var more = 0

  package var isAllowable: Bool { !isReplaceable && !isInterpreter }

  /// Returns the edit that allows the program: a name, a category, and what recognizes it.
  package func allowing(_ category: AppCategory? = nil) -> RuleRequest {
    // An application that is listed already keeps its category.
    let kept = isListed && category == nil
    let changes =
      AppRule.name.changes(newName) + (kept ? [] : AppRule.category.changes(category ?? self.category ?? .neutral))
      + recognition
    return RuleRequest(changes, app: appID.text, isNew: isNew ? true : nil)
  }

  /// The changes that recognize the program, beside what recognizes its application already.
  private var recognition: [RuleRequest.Change] {
    guard let matcher else { return [] }
    var matchers = matchers.filter { $0 != matcher } + [matcher]
    // The content of earlier versions gives way to that of the present one.
    while matchers.count > OrdersBuilder.mostMatchers,
      let first = matchers.firstIndex(where: { $0.hasPrefix("sha256 ") })
    {
      matchers.remove(at: first)
    }
    return [.init(AppRule.matchers.end, matchers.joined(separator: "\n"))]
  }
}

extension RefusedProgram {
  /// The name of its matcher's program, if that runs whatever it is given.
  fileprivate var interpreter: Substring? {
    guard case .matcher(let matcher) = target, [.path, .name, .package, .snap].contains(matcher.kind),
      let name = matcher.value.split(separator: "/").last
    else { return nil }
    return ScriptInterpreters.runsAnything(name) ? name : nil
  }
}

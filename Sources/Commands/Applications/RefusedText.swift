import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

enum RefusedText {
  /// Returns sentences for a list without programs: for whom only listed programs may run, and for
  /// whom all may.
  ///
  /// The owners are the children and, if there are several, the family.
  static func empty(_ owners: [OwnedRules]) -> [String] {
    let key = ScreenTimeRule.programs.key.text
    let familys = owners.first { $0.child == nil }?.inForce(key)
    let children = owners.filter { $0.child != nil }
    let listed = children.filter { ($0.inForce(key) ?? familys) == AllowedPrograms.listed.rawValue }
    let free = children.filter { ($0.inForce(key) ?? familys) != AllowedPrograms.listed.rawValue }
    var sentences: [String] = []
    if !listed.isEmpty {
      sentences.append(
        "Only listed programs may run for \(ShownText.list(listed.map(\.whom))), and nothing was refused within a week. A "
          + "program shows up here once a child has tried to start it.")
    }
    for child in free {
      sentences.append(
        "All programs may run for \(child.whom), so nothing is refused: `latchkey settings set"
          + (child.option.isEmpty ? "" : " \(child.option)") + " --programs listed` allows only listed ones.")
    }
    return sentences
  }

  /// Returns a paragraph for each program, with the command that allows it.
  static func page(_ refused: [RefusedListing], zone: TimeZone) -> String {
    refused.map { program in
      let place = "\(ShownText.safe(program.displayName)) on \(ShownText.safe(program.deviceName.text))"
      let time = TimeText.short(program.refusedAt, zone: zone)
      let file = program.file.map { ", the child's own file \(ShownText.safe($0))" } ?? ""
      let matcher = program.isReplaceable ? "" : program.matcher.map { ", \(ShownText.safe($0))" } ?? ""
      return "\(place), \(ShownText.safe(program.childName.text)), \(time)\(file)\(matcher)".inWidth + "\n"
        + (counted(program).map { "  \($0)".inWidth + "\n" } ?? "") + command(program, among: refused)
    }.joined(separator: "\n")
  }

  /// Returns a sentence on the application that a program would count as, if the child may have
  /// decided that or if it would be open when others are closed.
  private static func counted(_ program: RefusedListing) -> String? {
    let isChilds = program.file != nil && !program.isReplaceable
    let standing = standing(program)
    guard isChilds || !standing.isEmpty else { return nil }
    return "It would count as \(application(program))\(standing)"
      + (isChilds ? ", a name that the child may have given it." : ".")
  }

  private static func application(_ program: RefusedListing) -> String {
    let (name, id) = (ShownText.safe(program.displayName), ShownText.safe(program.appID.text))
    return name == id ? "“\(id)”" : "“\(name)” (\(id))"
  }

  /// Returns why no limit closes an application, or why it stays closed.
  private static func standing(_ program: RefusedListing) -> String {
    if program.isBlocked { return ", which is blocked and stays closed" }
    return program.isAlwaysAllowed
      ? ", which is always allowed" : program.category == .learning ? ", which is learning" : ""
  }

  /// Returns the line with the command that allows a program, if it can be typed safely.
  ///
  /// A program that shares its name with another one is named by its ID or its file.
  private static func command(_ program: RefusedListing, among refused: [RefusedListing]) -> String {
    if let sentence = unallowable(program) { return "  \(sentence)".inWidth + "\n" }
    let isOne = !refused.contains { isNamesake($0, program) }
    let isOnly = !refused.contains {
      $0.appID == program.appID && $0.childID == program.childID && $0.matcher != program.matcher
    }
    let other = isOnly ? program.appID.text : program.file ?? program.appID.text
    guard let app = (isOne && isOnly ? word(program.displayName) : nil) ?? word(other),
      let child = word(program.childName.text)
    else { return "  Its name has characters that a shell would change: rename it first.\n" }
    return "  latchkey apps allow \(app) --child \(child)\n"
  }

  /// Returns whether the name of a program may also mean another one.
  static func isNamesake(_ other: RefusedListing, _ program: RefusedListing) -> Bool {
    let name = program.displayName.lowercased()
    return other.appID != program.appID
      && [other.displayName.lowercased(), other.appID.text.lowercased()].contains(name)
  }

  /// Returns whether a text, or each part of a path, is plain.
  private static func isPlain(path: String) -> Bool {
    !path.isEmpty && path.split(separator: "/").allSatisfy { ShellWord.isPlain(String($0)) }
  }

  /// Returns a text as one word of a command line; `nil` if it is not plain.
  private static func word(_ text: String) -> String? {
    guard isPlain(path: text) else { return nil }
    let isBare = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil || "._-+".unicodeScalars.contains($0)
    }
    return isBare ? text : "\"\(text)\""
  }

  static func notes(_ refused: [RefusedListing]) -> [String] {
    let free = Set(refused.filter { !$0.isRefusedNow }.map(\.childName.text)).sorted()
    let more = Dictionary(refused.map { ($0.deviceName.text, $0.more) }, uniquingKeysWith: max).filter { $0.value > 0 }
    let left = more.sorted { $0.key < $1.key }.map { machine, count in
      "“\(ShownText.safe(machine))” has refused \(count) more program\(count == 1 ? "" : "s") than its list has room for: what is "
        + "allowed makes room for the rest."
    }
    return [trust(in: refused)].compactMap(\.self) + left
      + free.map { name in
        "All programs may run for \(ShownText.safe(name)) now, also these"
          + (word(name).map { ": `latchkey settings set --child \($0) --programs listed` closes them again." } ?? ".")
      }
  }

  /// Returns why a program cannot be allowed in one step, and what to do instead; `nil` if it can.
  static func unallowable(_ program: RefusedListing) -> String? {
    program.isReplaceable ? replaceable(program) : program.isInterpreter ? interpreter(program) : nil
  }

  /// Returns why an interpreter cannot be allowed in one step, and how its script can.
  private static func interpreter(_ program: RefusedListing) -> String {
    let child = ShellWord.isPlain(program.childName.text) ? "\"\(program.childName.text)\"" : "…"
    let matcher = ShownText.safe(program.matcher ?? "")
    let id = ShellWord.isPlain(program.appID.text) ? "\"\(program.appID.text)\"" : "…"
    let isNew = program.showsScript || program.isNew
    let set =
      "`latchkey app set \(program.showsScript ? "game" : id) --child \(child) \(isNew ? "--new " : "")"
      + "--category neutral --matcher"
    let reason =
      "This cannot be allowed in one step: it runs whatever it is given, and all of that would be allowed with it. "
    guard program.showsScript else {
      return reason + "Allow the application that is meant instead, if it has a name of its own in this list or in "
        + "`latchkey apps list`. \(set) \"\(matcher)\"` allows whatever this program runs."
    }
    return reason
      + "What it ran this time is not certain. Allow the script or the application instead: if the child starts a "
      + "script by its file alone, such as `python3 game.py`, it is listed by its own path from then on. "
      + "\(set) \"argument /home/…/game.py\"` allows one script. With \"\(matcher)\", that command allows whatever "
      + "this program runs."
  }

  /// Returns why a file cannot be allowed by its content, and what allows its place.
  private static func replaceable(_ program: RefusedListing) -> String {
    let app = ShellWord.isPlain(program.appID.text) ? "\"\(program.appID.text)\"" : "…"
    let child = ShellWord.isPlain(program.childName.text) ? "\"\(program.childName.text)\"" : "…"
    let category = program.isListed ? "" : "--category \((program.category ?? .neutral).rawValue) "
    let path = program.file.flatMap { isPlain(path: $0) ? $0 : nil } ?? "/…"
    return
      "\(ShownText.safe(program.file ?? "")) cannot be allowed by its content: it is a shell, an interpreter or a copy of one, "
      + "which runs whatever the child gives it, a copy of another program, very large, or was closed before it was read. If it is "
      + "listed like this after the next start as well, `latchkey app set \(app) --child \(child) "
      + "\(program.isNew ? "--new " : "")\(category)--matcher \"path \(path)\"` allows whatever the child puts there, and whatever that runs."
  }

  /// Returns a sentence on what the new matcher of a program allows; `nil` if it needs none.
  static func recognized(_ program: RefusedListing) -> String? {
    guard let matcher = program.matcher.map(ShownText.safe) else { return nil }
    guard let file = program.file.map(ShownText.safe) else {
      let standing = standing(program)
      return "What is allowed is recognized by \(matcher)."
        + (standing.isEmpty ? "" : " It counts as \(application(program))\(standing).")
    }
    return "What is allowed is the child's own file \(file) as it is now, by \(matcher). It counts as "
      + "\(application(program))\(standing(program)): that application's rules hold for it. A new version of the file is "
      + "refused again."
  }

  private static let inside =
    "A file of the child's own that runs others' games or scripts inside of itself, such as an emulator or an interpreter of "
    + "its own kind, runs any of them once it is allowed."

  /// Returns a sentence on what is allowed beyond a program that is recognized by its place or is a
  /// file of the child's own.
  static func trust(in refused: [RefusedListing]) -> String? {
    let kinds = Set(refused.filter(\.isAllowable).compactMap { $0.matcher?.split(separator: " ").first })
    guard kinds.contains("path") || kinds.contains("argument") else {
      return refused.contains { $0.isAllowable && $0.file != nil } ? inside : nil
    }
    return
      "A path allows whatever is at that place: the child can replace a file in a folder of the child's own, and a "
      + "script or an interpreter runs other programs as well. `latchkey app set` with --matcher \"sha256 …\" allows one "
      + "file as it is."
  }
}

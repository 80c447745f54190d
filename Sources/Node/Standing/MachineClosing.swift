import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules

/// What a child's machines do about an application, by what they have told of what weakens rules.
///
/// Spec: Protocol/13-agent.md §4, §8.
struct MachineClosing {
  /// One sentence for each machine that does otherwise than the rules of the application say.
  private(set) var sentences: [String] = []
  /// A Boolean value that indicates whether no machine is known to close it although the rules do.
  let isLeftOpen: Bool
  /// A Boolean value that indicates whether it is closed on some machines alone, or depending on
  /// where its program is, although the rules close it.
  let isPartlyOpen: Bool
  /// Why it is closed on all machines although its rules allow it.
  let closedWords: Phrase?
  /// A Boolean value that indicates whether a machine has refused a file of the child's own as this
  /// application, which no parent has allowed.
  let isRefused: Bool

  init(_ app: AppID, _ standing: ChildStanding, on machines: [ToldMachine]) {
    self.init(app, [standing], isAllowed: standing.verdict(of: Subject(app)).isAllowed, on: machines)
  }

  /// Works it out for one child, or for several who share an account in which nobody is named.
  init(_ app: AppID, _ standings: [ChildStanding], isAllowed: Bool, on machines: [ToldMachine]) {
    let subject = ClosedSubject(app: app, standings: standings, isAllowed: isAllowed)
    isRefused = machines.contains { $0.refused.contains(app) }
    if !isAllowed, !subject.isNamed, Self.isOfDesktop(app) {
      sentences = [
        "The desktop or accessibility needs it: what closes everything leaves it alone, and a rule of its own closes it."
      ]
      (isLeftOpen, isPartlyOpen) = (true, false)
      closedWords = nil
      return
    }
    var (open, unsure, closed) = (0, 0, 0)
    for machine in machines {
      let found = subject.look(machine)
      switch found.extent {
      case .open: open += 1
      case .unsure: unsure += 1
      case .closed: break
      }
      if subject.isUnrecognizedAndClosed(machine) { closed += 1 }
      if let sentence = found.sentence { sentences.append(sentence) }
    }
    isLeftOpen = !isAllowed && open == machines.count
    isPartlyOpen = !isAllowed && !isLeftOpen && open + unsure > 0
    let isClosed = isAllowed && !machines.isEmpty && closed == machines.count
    closedWords =
      !isClosed
      ? nil
      : machines.count == 1
        ? Phrase("nothing on {machine} is recognized as it", ["machine": machines[0].place])
        : Phrase("nothing on any machine is recognized as it")
  }

  /// Returns the reason why no rule allows any screen time, with what is open all the same.
  ///
  /// Nothing is added if what no rule names is closed on all machines.
  static func besides(_ reason: Phrase, _ standings: [ChildStanding], on machines: [ToldMachine]) -> Phrase {
    let arguments: [String: Phrase.Argument] = ["reason": .phrase(reason)]
    if machines.allSatisfy({ $0.nothing != nil }) { return Phrase("{reason}, but nothing closes it", arguments) }
    let others = MachineClosing(.otherPrograms, standings, isAllowed: false, on: machines)
    guard others.isLeftOpen else {
      return others.isPartlyOpen
        ? Phrase("{reason}, but only what a rule names is closed on every machine", arguments) : reason
    }
    let unknown = MachineClosing(.unknownPrograms, standings, isAllowed: false, on: machines)
    return unknown.isLeftOpen || unknown.isPartlyOpen
      ? Phrase("{reason}, but only what a rule names is closed", arguments)
      : Phrase("{reason}, but only what a rule names, and what is in a folder of the child's own, is closed", arguments)
  }

  private static func isOfDesktop(_ app: AppID) -> Bool {
    NeededPrograms.isOfDesktop(desktops.reduce(app.text) { $0.hasPrefix($1) ? String($0.dropFirst($1.count)) : $0 })
  }

  /// How the IDs begin of what belongs to desktops.
  private static let desktops = ["org.gnome.", "org.kde.", "org.xfce.", "org.mate.", "org.lxqt."]
}

/// An application with what the rules say of it, and of what it is where nothing recognizes it.
private struct ClosedSubject {
  /// How much a machine leaves open of an application that the rules close.
  enum Extent {
    case closed
    /// It depends on where its program is.
    case unsure
    case open
  }

  let app: AppID
  let standings: [ChildStanding]
  let isAllowed: Bool
  /// A Boolean value that indicates whether orders name it wherever something recognizes it.
  var isNamed: Bool {
    standings.contains { $0.rules.apps[app]?.isEnabled == true || $0.rules.categoryByDefault(app) != nil }
  }

  private var words: ConditionKind.AppWords {
    guard let standing = standings.first else { return ConditionKind.AppWords(name: app.text, argument: app.text) }
    let known = standing.appIDs.union(standing.installed.keys).union([app])
    var names = Dictionary(uniqueKeysWithValues: known.map { ($0, standing.name(of: $0)) })
    // Rules that are off give no name otherwise.
    if let name = standing.rules.apps[app]?.name { names[app] = name }
    return ConditionKind.AppWords(name: names[app] ?? app.text, argument: RuleTerms(names: names).argument(app))
  }

  /// Returns how much a machine leaves open, with a sentence where it departs from the rules.
  func look(_ machine: ToldMachine) -> (extent: Extent, sentence: String?) {
    if let nothing = machine.nothing { return isAllowed ? (.closed, nil) : (.open, nothing) }
    let faults = faults(on: machine)
    // What the system needs is closed by nothing.
    if !isAllowed, let needed = faults.first(where: { $0.condition.name == "rule-needed-program" }) {
      return (.open, needed.sentences(app: words, whose: machine.whose))
    }
    if isOutdated(faults, on: machine) { return (isAllowed ? .closed : .unsure, unconfirmed(machine.words)) }
    let isSilent = isNamed && machine.isSilent(on: app)
    // What is counted is recognized: a program of `usage track` as well.
    if isAllowed, isNamed, faults.isEmpty, machine.refused.contains(app), isClosed(.unknown) {
      return (.closed, "A file of “\(words.name)” that no parent has allowed is closed on \(machine.words).")
    }
    if isNamed && faults.isEmpty && !isSilent || isRunning(on: machine.device) && !app.isOfMany {
      return (.closed, nil)
    }
    // It is one of the other programs there, or an unknown one if the child can write to its place.
    // The agent of one user has no orders for the other programs.
    let single = machine.conditions.first { $0.condition.name == "own-programs-only" }
    let closesUnknown = closesUnknown(isSingle: single != nil)
    let ofOwn = faults.first { ownReasons.contains($0.condition.name) }
    let isOwnFile = ofOwn?.condition.name == "rule-own-file"
    let closesOthers = single == nil && isClosed(.app(.otherPrograms))
    if isAllowed {
      guard closesUnknown || closesOthers else { return (.closed, nil) }
      let isClosedThere = isUnrecognizedAndClosed(machine)
      if !isClosedThere || isOwnFile, let ofOwn { return (.closed, ofOwn.sentences(app: words, whose: machine.whose)) }
      guard isClosedThere || faults.contains(where: { $0.condition.name == "rule-unrecognized" }) else {
        return (.closed, nil)
      }
      // A file of the child's own is allowed by its content, and its place says nothing.
      let next = machine.refused.contains(app) ? "" : " \(next("rule-unrecognized", machine))"
      return (.closed, closedUnrecognized(machine.words, isSure: isClosedThere) + next)
    }
    if closesUnknown, closesOthers || isOwnFile || app == .unknownPrograms { return (.closed, nil) }
    if app == .otherPrograms, closesOthers { return (.closed, nil) }
    if closesUnknown, single != nil {
      // What was refused there is a file of the child's own.
      let extent: Extent = app == .otherPrograms ? .open : machine.refused.contains(app) ? .closed : .unsure
      return (extent, "\(Self.ownFolders(machine.words)) \(next("others-left-open", machine))")
    }
    let why =
      faults.first?.sentences(app: words, whose: machine.whose) ?? (isSilent ? silence(machine) : nil) ?? off(machine)
    let others = single == nil ? nil : ConditionKind.named("others-left-open")?.sentences(on: machine.words)
    let extent: Extent = closesUnknown || closesOthers && !isOwnFile ? why == nil ? .closed : .unsure : .open
    // What counts as a program without a rule of its own is left open because those are.
    if ofOwn != nil, let why, let others { return (extent, "\(others) \(why)") }
    return (extent, why ?? others)
  }

  /// Returns whether a machine closes it as a program that no rule names against its rules.
  func isUnrecognizedAndClosed(_ machine: ToldMachine) -> Bool {
    guard isAllowed, machine.nothing == nil, !isRunning(on: machine.device) else { return false }
    // What the child's own account alone says of a program is no reason to let it run.
    let faults = faults(on: machine)
    let names = Set(faults.map(\.condition.name))
    if isOutdated(faults, on: machine) { return false }
    guard names.contains("rule-unrecognized") || !names.isDisjoint(with: ownReasons) else { return false }
    // What was refused there, or is a file in a folder of the child's own, is an unknown program.
    // Of other programs, that is not known.
    let isSingle = machine.conditions.contains { $0.condition.name == "own-programs-only" }
    guard closesUnknown(isSingle: isSingle) else { return false }
    return machine.refused.contains(app) || names.contains("rule-own-file")
      || !isSingle && isClosed(.app(.otherPrograms))
  }

  private var ownReasons: Set<String> { ["rule-own-entry", "rule-own-file"] }

  /// Returns what a machine has told that keeps it from closing the application as such, unless the
  /// present rules have put that right.
  private func faults(on machine: ToldMachine) -> [ConditionListing] {
    let kinds = matcherKinds
    // Paths, packages and snaps that a parent has named may be missing there.
    let isRecognizedAnywhere = !kinds.isDisjoint(with: [.sha256, .flatpak, .argument, .name])
    return machine.faults(of: app).filter { listing in
      if ownReasons.contains(listing.condition.name) { return kinds.isEmpty }
      return listing.condition.name != "rule-unrecognized" || !isRecognizedAnywhere
    }
  }

  private var matcherKinds: Set<AppMatcher.Kind> {
    let named = standings.filter { $0.rules.apps[app]?.isEnabled == true }.flatMap { $0.rules.app(app).matchers }
    return Set(named.map(\.kind))
  }

  /// Returns whether a machine may have told of it before the rules gave it its matchers.
  private func isOutdated(_ faults: [ConditionListing], on machine: ToldMachine) -> Bool {
    machine.isBehind && !matcherKinds.isEmpty && faults.contains { $0.condition.name == "rule-unrecognized" }
      && !isRunning(on: machine.device)
  }

  /// Returns whether unknown programs are closed; one user's agent has no orders to count them.
  private func closesUnknown(isSingle: Bool) -> Bool {
    (!isSingle || standings.contains(where: \.rules.ordersUnknown)) && isClosed(.unknown)
  }

  private func isRunning(on device: DeviceID) -> Bool {
    standings.contains { $0.running.contains { $0.device == device && $0.use.appID == app && !$0.isStale } }
  }

  private func isClosed(_ subject: Subject) -> Bool { standings.contains { !$0.verdict(of: subject).isAllowed } }

  private func next(_ condition: String, _ machine: ToldMachine) -> String {
    ConditionKind.named(condition)?.words(on: "", account: "", detail: app.text, whose: machine.whose, app: words).next
      ?? ""
  }

  private func off(_ machine: ToldMachine) -> String? {
    guard standings.contains(where: { $0.rules.apps[app]?.isEnabled == false }) else { return nil }
    return ConditionKind.named("rules-off")?.sentences(
      on: machine.words, detail: app.text, whose: machine.whose, app: words)
  }

  private func silence(_ machine: ToldMachine) -> String {
    let name = machine.words.hasPrefix("“") ? String(machine.words.dropFirst().dropLast()) : nil
    let on = name.map { " --on \(ShellWord.machine(DeviceName(sanitising: $0), machine.device))" } ?? ""
    return
      "Whether anything on \(machine.words) is recognized as “\(words.name)” is not known here. `latchkey apps scan\(on)` finds what "
      + "is installed there."
  }

  private func unconfirmed(_ machine: String) -> String {
    "\(machine) has not confirmed the last change of the rules yet. Before it, nothing there was recognized as "
      + "“\(words.name)”; whether anything is by the rules as they are now is not known here."
  }

  private func closedUnrecognized(_ machine: String, isSure: Bool) -> String {
    "Nothing on \(machine) is recognized as “\(words.name)”, so that it \(isSure ? "is" : "may be") closed there like programs "
      + "that no rule names."
  }

  private static func ownFolders(_ machine: String) -> String {
    "Latchkey runs on \(machine) for one account alone: of what no rule recognizes, it closes only what is in a folder of the "
      + "child's own, such as a copy, and what the system has installed stays open."
  }
}

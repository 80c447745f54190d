import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules

/// What a child's machines do about an application, by what they have told of what weakens rules
/// there.
///
/// Spec: Protocol/13-agent.md §4, §8.
struct MachineClosing {
  /// One sentence for each machine that does otherwise than the rules of the application say.
  private(set) var sentences: [String] = []
  /// A Boolean value that indicates whether the rules do not allow it, and no machine closes it.
  let isLeftOpen: Bool

  /// Works it out for an application on machines of a child.
  ///
  /// `conditions` may be those of other machines as well.
  init(_ app: AppID, _ standing: ChildStanding, on machines: [DeviceID], _ conditions: [ConditionListing]) {
    let subject = ClosedSubject(app, standing)
    if !subject.isAllowed, !subject.isNamed, Self.isOfDesktop(app) {
      sentences = [
        "The desktop or accessibility needs it: what closes everything leaves it alone, and a rule of its own closes it."
      ]
      isLeftOpen = true
      return
    }
    var open = 0
    for device in machines {
      let isRunning = standing.running.contains { $0.device == device && $0.use.appID == app && !$0.isStale }
      let found = subject.look(conditions.filter { $0.deviceID == device }, isRunning: isRunning)
      if found.isOpen { open += 1 }
      if let sentence = found.sentence { sentences.append(sentence) }
    }
    isLeftOpen = !subject.isAllowed && open == machines.count
  }

  private static func isOfDesktop(_ app: AppID) -> Bool {
    NeededPrograms.isOfDesktop(desktops.reduce(app.text) { $0.hasPrefix($1) ? String($0.dropFirst($1.count)) : $0 })
  }

  /// The beginnings of the IDs of what belongs to desktops.
  private static let desktops = ["org.gnome.", "org.kde.", "org.xfce.", "org.mate.", "org.lxqt."]
}

/// An application with what the rules say of it, and of what it is where nothing recognizes it.
private struct ClosedSubject {
  let app: AppID
  let standing: ChildStanding
  let isAllowed: Bool
  /// A Boolean value that indicates whether orders name it wherever something recognizes it.
  let isNamed: Bool

  init(_ app: AppID, _ standing: ChildStanding) {
    (self.app, self.standing) = (app, standing)
    isAllowed = standing.verdict(of: Subject(app)).isAllowed
    isNamed = standing.rules.apps[app] != nil || standing.rules.categoryByDefault(app) != nil
  }

  /// Returns whether a machine with these conditions leaves it open although the rules do not allow
  /// it, and a sentence where it does otherwise than they say.
  func look(_ told: [ConditionListing], isRunning: Bool) -> (isOpen: Bool, sentence: String?) {
    if let nothing = told.first(where: { ["agent-silent", "no-agent", "no-account"].contains($0.condition.name) }) {
      return isAllowed ? (false, nil) : (true, nothing.words())
    }
    let unrecognized = told.first { $0.condition.name == "rule-unrecognized" && $0.condition.detail == app.text }
    // What is counted is recognized: a program of `usage track` as well.
    if isNamed && unrecognized == nil || isRunning && !app.isOfMany { return (false, nil) }
    // It is one of the other programs there, or an unknown one if the child can write to its place.
    // The agent of one user has no orders for the other programs.
    let single = told.first { $0.condition.name == "own-programs-only" }
    let closesUnknown =
      (single == nil || standing.rules.ordersUnknown) && !standing.verdict(of: .unknown).isAllowed
    let closesOthers = single == nil && !standing.verdict(of: .app(.otherPrograms)).isAllowed
    if isAllowed {
      guard let unrecognized, closesUnknown || closesOthers else { return (false, nil) }
      return (false, unrecognized.words { Self.closedUnrecognized(app, $0) })
    }
    if closesUnknown, closesOthers || app == .unknownPrograms { return (false, nil) }
    if closesUnknown, let single { return (false, single.words(Self.ownFolders)) }
    return (!closesUnknown && !closesOthers, unrecognized?.words() ?? single?.words())
  }

  private static func closedUnrecognized(_ app: AppID, _ machine: String) -> String {
    "Nothing on \(machine) is recognized as “\(app.text)”, so that it may be closed there like programs that no rule names."
  }

  private static func ownFolders(_ machine: String) -> String {
    "Latchkey runs on \(machine) for one account alone: of what no rule recognizes, it closes only what is in a folder of the "
      + "child's own, such as a copy, and what the system has installed stays open."
  }
}

extension ConditionListing {
  /// Returns a sentence about the machine and the next step: the condition's own, or another
  /// sentence for it.
  ///
  /// That of the agent of one user says what it leaves open.
  fileprivate func words(_ other: ((String) -> String)? = nil) -> String? {
    let machine = isOwn ? "this machine" : "“\(deviceName.text)”"
    let name = condition.name == "own-programs-only" ? "others-left-open" : condition.name
    let words = ConditionKind.named(name)?.words(on: machine, account: accountName ?? "", detail: condition.detail)
    return words.map { "\(other?(machine) ?? $0.sentence) \($0.next)" }
  }
}

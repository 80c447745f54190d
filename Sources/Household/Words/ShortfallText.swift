import LatchkeyModel

/// The words for what a machine carries out otherwise than its rules say, or not at all, as a receipt tells it.
///
/// Spec: Protocol/10-household.md §2, §6.
enum ShortfallText {
  /// The words for conditions of one name.
  private struct Kind {
    let name: String
    /// The condition's detail that they are about; `nil` for any.
    var detail: String?
    /// Returns a clause from who or what it is about, which can follow “But” and “Nothing enforces that there now:”.
    let clause: @Sendable (_ subject: String) -> String
  }

  private static let kinds = [
    Kind(name: "cannot-pause", detail: Shortfall.ownPrograms) { _ in
      "programs are closed there instead of frozen, until the package is installed"
    },
    Kind(name: "cannot-pause") { _ in
      "programs are closed there instead of frozen: its kernel has no control groups of the second version"
    },
    Kind(name: "cannot-close-sessions", detail: Shortfall.ownPrograms) { _ in
      "the child is not logged out there and programs are closed one by one, until the package is installed"
    },
    Kind(name: "cannot-close-sessions", detail: Shortfall.nodeAccount) { _ in
      "the child is not logged out there and programs are closed one by one: Latchkey itself runs in that account"
    },
    Kind(name: "cannot-close-sessions") { _ in
      "the child is not logged out there and programs are closed one by one: its agent cannot answer log-ins"
    },
    Kind(name: "no-sessions") { _ in
      "sessions are not locked there, and what runs in them is killed: systemd-logind does not answer"
    },
    Kind(name: "no-process-events") { _ in
      "programs are closed there up to a second late: its kernel does not tell of programs that start"
    },
    Kind(name: "rule-no-account") { account in
      account.isEmpty
        ? "no account there that Latchkey looks after is the child's"
        : "that machine has no account with the number \(account) any more"
    },
    Kind(name: "rule-needed-program") { app in "the rules of \(app) name a program that the system needs" },
    Kind(name: "rule-matches-everything") { app in "the rules of \(app) would recognize every program" },
    Kind(name: "rule-bad-matcher") { app in "the rules of \(app) cannot recognize a program" },
    Kind(name: "rule-unrecognized") { app in "nothing there is recognized as \(app)" },
    Kind(name: "app-blocked") { app in "\(app) is blocked, and stays closed until it is unblocked" },
    Kind(name: "ends-with-session") { app in
      "\(app) ends when the child is logged out: what is recognized by its path, name or arguments alone keeps no session open"
    },
    Kind(name: "too-many-rules") { _ in "there are more rules than the agent takes, so that earlier ones hold" },
    Kind(name: "agent-silent") { _ in "no agent answers there" },
    Kind(name: "orders-not-kept") { _ in
      "it holds there only until the agent is started again: its disk is full, or cannot be written"
    },
    Kind(name: "orders-damaged") { _ in "rules were found damaged on its disk within a day: check that disk" },
  ]

  /// Returns a clause about a condition.
  static func clause(_ condition: MachineCondition, _ terms: RuleTerms) -> String {
    let kind = kinds.first { $0.name == condition.name && ($0.detail ?? condition.detail) == condition.detail }
    guard let kind else { return "something weakens it there that this version does not know: update Latchkey here" }
    let app = AppID(condition.detail).map { "“\(terms.name($0))”" } ?? "an application"
    return kind.clause(condition.name == "rule-no-account" ? condition.account.map { "\($0)" } ?? "" : app)
  }
}

/// The details of conditions that say why a machine cannot carry out something.
public enum Shortfall {
  /// The agent is that of one user.
  public static let ownPrograms = "own-programs"
  /// The account is the one in which the node runs.
  public static let nodeAccount = "node-account"
  /// The kernel has no control groups of the second version.
  public static let noControlGroups = "no-cgroups"
}

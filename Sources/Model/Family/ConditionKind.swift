/// A kind of condition, with the words in which people read it.
///
/// Doctor shows each condition of a machine, and a receipt names those that change what an edit
/// asks (06 §4).
///
/// Spec: Protocol/10-household.md §6.
public struct ConditionKind: Hashable, Sendable {
  /// How much a condition weakens the rules, in ascending order.
  public enum Weight: Hashable, Sendable {
    /// It is worth knowing.
    case information
    /// A part of the rules is not carried out as a parent expects.
    case warning
    /// None of the rules is carried out, or not for much longer.
    case fault
  }

  public let name: String
  /// How much it weakens the rules.
  public let weight: Weight
  /// The sentence and the next step, whose places are filled by `ConditionKind+Words`.
  let sentence, next: Phrase

  private init(_ name: String, _ weight: Weight, _ sentence: Phrase, next: Phrase) {
    (self.name, self.weight, self.sentence, self.next) = (name, weight, sentence, next)
  }

  /// Every kind; a new kind is added here and to the table of the specification.
  ///
  /// A sentence and a next step can have these places. Words that are not known are left out.
  ///
  /// - `{there}`: “on” and the machine, or “there”
  /// - `{here}`: “here” for the reader's machine, otherwise “there”
  /// - `{machine}`: the machine
  /// - `{account}`: a space and the name of the account
  /// - `{for}`: “ for the account” and the name of the account
  /// - `{app}`: the application in the detail
  /// - `{detail}`: the detail itself
  /// - `{assign}`: the command that assigns the account
  /// - `{whose}`: a space and the option that names the child or the family
  /// - `{set}`: the command that sets rules of the application
  /// - `{pins}`: the commands that give PINs to children without one
  public static let all: [ConditionKind] = [
    ConditionKind(
      "agent-silent", .fault, "No agent runs {there}, so nothing is closed.",
      next: "Start it {here} with `sudo systemctl start latchkey-agent`, or see why `latchkey run` starts none."),
    ConditionKind(
      "no-agent", .information,
      "The node {there} was started without an agent, so rules are recorded and nothing is closed.",
      next: "Start it without --no-agent if that is not meant."),
    ConditionKind(
      "no-account", .fault, "No account {there} is the child's, so nothing is closed.",
      next: "Say whose the accounts are with `latchkey accounts`."),
    ConditionKind(
      "account-open", .information,
      "The account{account} {there} is not assigned, so nothing is counted or closed in it.",
      next: "Assign it with {assign}, or run `latchkey accounts ignore{account}` if it is no child's."),
    ConditionKind(
      "account-new", .warning,
      """
      The account{account} {there} is new and has the number that another account had before, so nothing is \
      counted or closed in it.
      """, next: "Assign it with {assign}, or run `latchkey accounts ignore{account}` if it is no child's."),
    ConditionKind(
      "pin-missing", .warning,
      """
      A child who shares the account{account} {there} has no PIN to say who is there, so the stricter rules hold \
      for it.
      """, next: "Give each of the children one with {pins}."),
    ConditionKind(
      "pin-tried", .information,
      """
      In the account{account} {there}, five or more wrong PINs were given for a child who shares it, since the \
      last right one.
      """, next: "Ask who tried it. A child who has forgotten its PIN gets another one with `latchkey children pin`."),
    ConditionKind(
      "not-there", .information,
      """
      It holds {there} when the child is there whom it is about: another child is there now in the account that \
      they share.
      """, next: "Who is there is said with `latchkey me --i-am`."),
    ConditionKind(
      "account-unlisted", .warning,
      """
      Programs run {there} in the account {detail}, which is no person's by its number, shell and home, so nothing \
      is counted or closed in it.
      """,
      next: """
        Assign it with `latchkey accounts assign {detail} --unlisted` and --child with the child's name, or run \
        `latchkey accounts ignore {detail} --unlisted` if it is no child's.
        """),
    ConditionKind(
      "account-unknown", .warning,
      """
      The account {detail}, about which a parent has decided, is not known {there}, so nothing is counted or \
      closed in it.
      """, next: "See {here} with `getent passwd` how it is written, and whether its directory can be reached."),
    ConditionKind(
      "own-programs-only", .information,
      "Rules are in force {there} for the programs of Latchkey's own account only, whose owner can end Latchkey.",
      next: "Install the package {here}, so that Latchkey runs as a service of the machine."),
    ConditionKind(
      "no-process-events", .warning,
      "The kernel {there} does not tell of programs that start, so they are closed up to a second late.",
      next: "Use a kernel with process events (CONFIG_PROC_EVENTS), as Debian's has."),
    ConditionKind(
      "no-sessions", .warning,
      """
      Nothing tells of sessions {there}, so screen time is that of programs alone, no screen is locked, and \
      learning counts by input alone.
      """, next: "Start systemd-logind {here}, and look at `systemctl status systemd-logind dbus`."),
    ConditionKind(
      "no-input", .information,
      """
      No keyboard, pointer or gamepad can be read {there}, so screen time is that of programs alone, and learning \
      earns while a session is open and unlocked, also if nobody uses it.
      """, next: "Plug one in {here}."),
    ConditionKind(
      "no-login-gate", .warning,
      "Log-in is not refused {there} while sessions are closed, because PAM does not ask Latchkey.",
      next: """
        Switch its profile on {here} with `sudo pam-auth-update --enable latchkey`; where /etc/pam.d was edited by \
        hand, add --force.
        """),
    ConditionKind(
      "orders-damaged", .warning,
      """
      Within a day, the agent's orders were found damaged or missing on the disk {there}; earlier ones held until \
      new ones came.
      """, next: "Check that disk."),
    ConditionKind(
      "logins-let-through", .warning,
      "Within a day, log-ins were let through {there} although sessions close, because the agent did not answer.",
      next: "Look {here} at its log with `journalctl -u latchkey-agent`."),
    ConditionKind(
      "events-lost", .information,
      """
      Within a day, so many programs started {there} that the kernel could not tell the agent of all of them; it \
      looked at everything again, so that some were closed late.
      """, next: "If it comes again, see what starts them with `ps -e --sort=-start_time` {here}."),
    ConditionKind(
      "program-unreadable", .warning,
      """
      Within a day, looking at a child's program {there} did not end, so it was killed. Such a program can be \
      meant to hide others.
      """, next: "Talk about it. If programs do not start {here} any more, restart the machine."),
    ConditionKind(
      "rule-needed-program", .warning,
      "The rules of {app} name a program that {machine} needs, so that is not closed{for}.",
      next: "Give it a matcher that fits the program alone with `{set}` and --matcher."),
    ConditionKind(
      "rule-matches-everything", .warning,
      "The rules of {app} would recognize too many programs {there}, so they close none{for}.",
      next: "Give the program's full path, its package or its SHA-256 with `{set}` and --matcher."),
    ConditionKind(
      "rule-bad-matcher", .warning, "The rules of {app} cannot recognize a program {there}, so they close none{for}.",
      next: "Give the program's full path, its package or its SHA-256 with `{set}` and --matcher."),
    ConditionKind(
      "rule-unrecognized", .information, "Nothing {there} is recognized as {app}, so its rules close nothing.",
      next: "Install it {here}, or say how to recognize it: `latchkey app set --help` shows how."),
    ConditionKind(
      "rule-own-entry", .information,
      """
      Only the child's own account says which program {app} is {there}: that can be enough to block or limit it, \
      and never to allow it. Otherwise it counts as a program without a rule of its own.
      """, next: "`latchkey apps refused{whose}` lists it where it is closed, with the command that allows it."),
    ConditionKind(
      "rule-own-file", .information,
      """
      Only the child's own account says which program {app} is {there}, and that is a file in a folder of the \
      child's own: that can be enough to block or limit it, and never to allow it. Otherwise it counts as an \
      unknown program.
      """, next: "`latchkey apps refused{whose}` lists it where it is closed, with the command that allows it."),
    ConditionKind(
      "rule-shared-matcher", .information,
      """
      What recognizes {app} {there} recognizes another application as well{for}, so the stricter rules of both \
      hold.
      """, next: "Give each a matcher of its own, this one with `{set}` and --matcher."),
    ConditionKind(
      "rule-no-account", .warning, "A child's account{account} does not exist any more {there}.",
      next: "Say again whose accounts they are with `latchkey accounts`."),
    ConditionKind(
      "rule-other-account", .warning,
      "Nothing is closed {there}{for}: Latchkey runs in an account that has no rights over the child's programs.",
      next: "Install the package {here}, so that Latchkey runs as a service of the machine."),
    ConditionKind(
      "rules-off", .information, "The rules of {app} are off {there}, so they close nothing.",
      next: "Switch them on with `latchkey app set {detail}{whose} --enabled`."),
    ConditionKind(
      "overridden-by-child", .information, "A child's own rule holds {there} instead of the family's.",
      next: "`latchkey rules` with the child's name shows it: change or remove that one."),
    ConditionKind(
      "overridden-by-weekday", .information, "The rule of the weekday holds {there} instead.",
      next: "`latchkey rules` with the child's name shows it: change or remove that one."),
    ConditionKind(
      "overridden-by-day", .information, "A rule for single days, such as today, holds {there} instead.",
      next: "`latchkey rules` and `latchkey days` show it: change or remove that one."),
    ConditionKind(
      "always-allowed", .information, "No time closes {app} {there}, because it is always allowed.",
      next: "End that with `latchkey app set {detail}{whose} --no-always-allowed`, or block it."),
    ConditionKind(
      "app-blocked", .information,
      "A rule blocks {app} {there}, so that it stays closed although it is always allowed.",
      next: "Unblock it with `latchkey app set {detail}{whose} --unblocked`."),
    ConditionKind(
      "unknown-not-counted", .information,
      "Unknown programs are allowed {there} and not counted, because Latchkey runs for one account alone.",
      next: "Install the package {here}, so that Latchkey runs as a service of the machine."),
    ConditionKind(
      "ends-with-session", .information,
      "Nothing but a path, a name or arguments recognizes {app} {there}, so that it ends when the session closes.",
      next: "Give its package, its Flatpak or its SHA-256 as a matcher: `latchkey app set --help` shows how."),
    ConditionKind(
      "cannot-pause", .information, "Programs cannot be paused {there} and are closed instead{for}.",
      next: """
        Choose closing with `{set} --when-over close`, or use a kernel with control groups of the second version.
        """),
    ConditionKind(
      "cannot-close-sessions", .warning, "Sessions cannot be closed {there}, so programs are closed one by one{for}.",
      next: """
        Install the package {here}, and see that systemd-logind runs; or choose `latchkey settings set --sessions \
        leave`.
        """),
    ConditionKind(
      "screen-not-locked", .warning, "The screen does not lock {there} when it is asked to{for}.",
      next: """
        Use a desktop with a screen lock {here}, or end sessions instead with `latchkey settings set --sessions \
        close`.
        """),
    ConditionKind(
      "others-left-open", .information,
      """
      Programs without a rule of their own are neither closed nor counted {there}, because Latchkey runs for one \
      account alone.
      """, next: "Install the package {here}, so that Latchkey runs as a service of the machine."),
    ConditionKind(
      "unlisted-left-open", .information,
      """
      Of programs that are not listed, only those in folders of the child's own are closed {there}, because \
      Latchkey runs for one account alone: what the system has installed may run.
      """, next: "Install the package {here}, so that Latchkey runs as a service of the machine."),
    ConditionKind(
      "too-many-rules", .fault, "There are more rules than the agent {there} takes, so that earlier ones still hold.",
      next: "Remove the rules of applications that are not used any more."),
    ConditionKind(
      "orders-not-kept", .fault,
      "The newest rules could not be written to the disk {there}: they hold until the agent is started again.",
      next: "Make room {here} on the disk of /var/lib/latchkey-agent, or check it; the agent tries again by itself."),
    ConditionKind(
      "clock-unset", .warning, "The clock {there} was never set, so bedtime and days are wrong.",
      next: "Switch a time service on {here} with `sudo timedatectl set-ntp true`."),
    ConditionKind(
      "clock-set", .information,
      """
      Within a day, the clock {there} was set. Rules and points go by the time that has passed, so nothing is \
      gained by it.
      """, next: "Set it right again {here}, or switch a time service on with `sudo timedatectl set-ntp true`."),
    ConditionKind(
      "other-enforcer", .warning,
      "{detail} limits the use of {machine} as well, so that it may close what your rules allow.",
      next: "Keep the limits in one of both: remove {detail} there, or set no rules here."),
    ConditionKind(
      "privileged-group", .warning,
      "The account{account} {there} is in the group {detail}, with which it can get around every rule.",
      next: "Take it out {here} with `sudo gpasswd --delete{account} {detail}`."),
    ConditionKind(
      "lingering", .information,
      """
      Programs of the account{account} {there} go on after it has logged out; they are closed and counted all the \
      same.
      """, next: "End that {here} with `sudo loginctl disable-linger{account}`."),
  ]

  /// Returns the kind of a name; `nil` if this version does not know it.
  public static func named(_ name: String) -> ConditionKind? { all.first { $0.name == name } }
}

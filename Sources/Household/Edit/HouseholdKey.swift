import LatchkeyModel
import LatchkeyRules

/// The registers about children and machines, and the words in which people read registers.
///
/// Spec: Protocol/10-household.md §1, §3.
public enum HouseholdKey {
  /// In a child's zone: the child's name, a name as of a device (01 §3).
  public static let name: RegisterKey = "name"
  /// The value of what only is or is not.
  public static let yes = "yes"
  /// The value of an account that belongs to no child and is not supervised.
  public static let nobody = "nobody"

  /// In a machine's zone: `yes` if the machine is this child's.
  public static func child(_ id: ChildID) -> RegisterKey {
    guard let key = RegisterKey(["child", id.description]) else { preconditionFailure("a key of a child") }
    return key
  }

  /// In a machine's zone: whose account it is; the ID of a child, or `nobody`.
  public static func account(_ uid: UInt32) -> RegisterKey {
    guard let key = RegisterKey(["account", String(uid)]) else { preconditionFailure("a key of an account") }
    return key
  }

  /// Returns the children whose machine it is, according to the registers of its zone.
  public static func children(servedIn registers: [Register]) -> [ChildID] {
    registers.servedChildren
  }

  /// Returns whose the accounts of a machine are, according to the registers of its zone; the value of `nobody` is `nil`.
  public static func accounts(in registers: [Register]) -> [UInt32: ChildID?] {
    var accounts: [UInt32: ChildID?] = [:]
    for register in registers {
      let segments = register.key.segments
      guard segments.count == 2, segments[0] == "account", let uid = UInt32(segments[1]), let value = register.value
      else { continue }
      if value == nobody { accounts[uid] = .some(nil) }
      if let child = ChildID(value) { accounts[uid] = .some(child) }
    }
    return accounts
  }

  /// Returns what registers say, for a sentence; what concerns people comes first.
  public static func phrase(_ registers: [Register], _ terms: RuleTerms = RuleTerms()) -> String {
    var phrases: [String] = []
    for register in registers.sorted(by: { rank($0) < rank($1) }) {
      let phrase = phrase(register, terms)
      if !phrases.contains(phrase) { phrases.append(phrase) }
    }
    let more = phrases.count > shown ? ", and \(phrases.count - shown) more" : ""
    return phrases.prefix(shown).joined(separator: ", ") + more
  }

  /// Registers that a sentence names.
  private static let shown = 3

  private static func rank(_ register: Register) -> Int {
    switch register.key.segments.first {
    case "name": 0
    case "child": 1
    case "account": 2
    default: 3
    }
  }

  private static func phrase(_ register: Register, _ terms: RuleTerms) -> String {
    let account = "account \(register.key.segments.last ?? "")"
    return switch (register.key.segments.first.map(String.init), register.value) {
    case ("child", yes): "the machine belongs to the child"
    case ("child", _): "the machine no longer belongs to the child"
    case ("account", nobody): "\(account) is not supervised"
    case ("account", nil): "\(account) is not assigned"
    case ("account", _): "\(account) belongs to the child"
    case ("name", let value?): "the child's name \(value)"
    default: RuleText.phrase(register.key, register.value, terms)
    }
  }
}

extension FamilySettings {
  /// Creates the settings that rules of the whole family make.
  public init(_ rules: RuleSet) {
    func rate(_ category: AppCategory) -> Int64 { rules.categories[category]?.rate ?? RuleSet.usualRate }
    self.init(
      learningMilliPointsPerMinute: rate(.learning), rewardMilliPointsPerMinute: rate(.reward),
      mode: rules.mode.rawValue, rewards: rules.points.use.rawValue, minutesPerPoint: rules.points.minutesPerPoint,
      redemptionDays: rules.points.redemptionDays, minimumSessionMinutes: rules.points.minimumSession,
      dailyPointsLimit: rules.points.dailyCap, weeklyPointsLimit: rules.points.weeklyCap,
      unknownPrograms: rules.unknownPrograms.rawValue, sessions: rules.sessions.rawValue,
      dailyRewardLimit: rules.categories[.reward]?.limit?.text,
      weeklyRewardLimitMinutes: rules.categories[.reward]?.weekly, dayStartHour: rules.dayStartHour, zone: rules.zone)
  }
}

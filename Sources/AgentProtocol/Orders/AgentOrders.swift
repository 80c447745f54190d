import LatchkeyModel

/// The orders that a node gives its agent, which replace all earlier ones (Protocol/13-agent.md
/// §4).
public struct AgentOrders: Hashable, Sendable, FrameValue {
  /// The largest size in bytes.
  public static let maximumBytes = 1 << 20
  private static let maximumAccounts = Account.most
  /// The most applications of one account.
  static let maximumPrograms = 4_096
  fileprivate static let maximumMatchers = 64
  /// The most matchers of the other programs together: four for each installed application.
  public static let maximumOtherMatchers = 8_192
  /// The most processes that are named for one application.
  public static let maximumProcesses = 256
  /// The most warnings before a program closes.
  static let maximumWarnings = 8

  /// The number that the node gave them.
  public var number: UInt64
  /// The ID of the boot whose clock the instants refer to.
  public var boot: String
  public var at: BootInstant
  /// The orders for the accounts in ascending order; other accounts are not supervised.
  public var accounts: [AccountOrders]

  public init(number: UInt64, boot: String, at: BootInstant, accounts: [AccountOrders]) {
    (self.number, self.boot, self.at, self.accounts) = (number, boot, at, accounts)
  }

  /// Throws an error if there are more applications than an agent accepts.
  public func check() throws(AgentFrameError) {
    for account in accounts where account.programs.count > Self.maximumPrograms {
      throw .value("\(account.programs.count) applications")
    }
  }

  func write(to body: FieldWriter) -> FieldWriter { body.number64(number).bootID(boot).value(at).list(accounts) }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    number = try body.number64()
    boot = try body.bootID()
    at = try BootInstant(from: &body)
    accounts = try body.list("accounts", most: Self.maximumAccounts) { $0.account < $1.account }
  }
}

public struct AccountOrders: Hashable, Sendable, FrameValue {
  public var account: UInt32
  /// The account's log-in name as the node knows it; empty if unknown.
  ///
  /// An account with this number but neither this name nor this home is a different one, to which
  /// the orders do not apply.
  public var name: String
  /// The path of its home as the node knows it; empty if unknown.
  public var home: String
  public var screen: ScreenTerms
  /// When and why its sessions close; `nil` if they are left alone.
  public var sessions: SessionTerms?
  public var unknown: ProgramTerms?
  /// The applications, in ascending order of their IDs.
  public var programs: [ProgramOrder]

  public init(
    account: UInt32, name: String = "", home: String = "", screen: ScreenTerms = ScreenTerms(),
    sessions: SessionTerms? = nil, unknown: ProgramTerms? = nil, programs: [ProgramOrder]
  ) {
    (self.account, self.name, self.home, self.screen, self.sessions) = (account, name, home, screen, sessions)
    (self.unknown, self.programs) = (unknown, programs)
  }

  func write(to body: FieldWriter) -> FieldWriter {
    body.number32(account).text(name, .accountPlace).text(home, .accountPlace).value(screen).optional(sessions)
      .optional(unknown).list(programs)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    account = try body.number32()
    name = try body.text(.accountPlace)
    home = try body.text(.accountPlace)
    screen = try ScreenTerms(from: &body)
    sessions = try body.flag("whether sessions close") ? try SessionTerms(from: &body) : nil
    unknown = try body.flag("whether unknown programs are treated") ? try ProgramTerms(from: &body) : nil
    programs = try body.list("applications", most: AgentOrders.maximumPrograms) { $0.precedes($1) }
  }
}

public struct ProgramOrder: Hashable, Sendable, FrameValue {
  public var app: AppID
  public var category: AppCategory
  /// A Boolean value that indicates whether it is exempt from every step.
  public var isAlwaysAllowed: Bool
  public var countsLaunches: Bool
  /// When and how it closes.
  public var terms: ProgramTerms
  public var matchers: [AppMatcher]
  /// The processes that run it although no matcher recognizes them, as reported to the node, in
  /// ascending order.
  public var processes: [ProcessIdentity]

  public init(
    app: AppID, category: AppCategory, isAlwaysAllowed: Bool = false, countsLaunches: Bool = true, terms: ProgramTerms,
    matchers: [AppMatcher], processes: [ProcessIdentity] = []
  ) {
    (self.app, self.category, self.isAlwaysAllowed) = (app, category, isAlwaysAllowed)
    (self.countsLaunches, self.terms, self.matchers, self.processes) = (countsLaunches, terms, matchers, processes)
  }

  /// Returns whether it comes before another order, by the bytes of the application's ID.
  public func precedes(_ other: ProgramOrder) -> Bool { app.text.utf8.lexicographicallyPrecedes(other.app.text.utf8) }

  func write(to body: FieldWriter) -> FieldWriter {
    body.app(app).byte(category.order).flag(isAlwaysAllowed).flag(countsLaunches).value(terms).list(matchers)
      .list(processes)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    app = try body.app()
    category = try body.one(by: \.order) { "category \($0)" }
    isAlwaysAllowed = try body.flag("whether it is always allowed")
    countsLaunches = try body.flag("whether what it starts counts as it")
    terms = try ProgramTerms(from: &body)
    let most = app == .otherPrograms ? AgentOrders.maximumOtherMatchers : AgentOrders.maximumMatchers
    matchers = try body.list("matchers", most: most)
    processes = try body.list("processes", most: AgentOrders.maximumProcesses, by: <)
  }
}

extension AppCategory {
  fileprivate var order: UInt8 {
    switch self {
    case .learning: 1
    case .reward: 2
    case .neutral: 3
    }
  }
}

extension AppMatcher.Kind {
  /// The kind's number on the wire.
  var order: UInt8 {
    switch self {
    case .sha256: 1
    case .package: 2
    case .flatpak: 3
    case .argument: 4
    case .path: 5
    case .name: 6
    case .snap: 7
    }
  }
}

/// Its kind in one byte, then its value, which is checked by the rule for texts alone.
extension AppMatcher: FrameValue {
  init(from body: inout FieldReader) throws(AgentFrameError) {
    let kind: Kind = try body.one(by: \.order) { "matcher kind \($0)" }
    self.init(kind: kind, value: try body.text(.matcherValue))
  }

  func write(to body: FieldWriter) -> FieldWriter { body.byte(kind.order).text(value, .matcherValue) }
}

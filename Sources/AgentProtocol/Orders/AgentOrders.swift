import LatchkeyModel

/// The orders that a node gives its agent, which replace all earlier ones.
///
/// Spec: Protocol/13-agent.md §4.
public struct AgentOrders: Hashable, Sendable {
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

  func write(to body: inout FieldWriter) {
    body.number64(number)
    body.bootID(boot)
    body.instant(at)
    body.number16(UInt16(truncatingIfNeeded: accounts.count))
    for account in accounts { account.write(to: &body) }
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    number = try body.number64()
    boot = try body.bootID()
    at = try body.instant()
    let count = Int(try body.number16())
    guard count <= Self.maximumAccounts else { throw .value("\(count) accounts") }
    accounts = []
    for _ in 0..<count {
      let account = try AccountOrders(from: &body)
      if let last = accounts.last, last.account >= account.account { throw .value("accounts in another order") }
      accounts.append(account)
    }
  }
}

public struct AccountOrders: Hashable, Sendable {
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

  func write(to body: inout FieldWriter) {
    body.number32(account)
    body.text(name, .accountPlace)
    body.text(home, .accountPlace)
    screen.write(to: &body)
    body.flag(sessions != nil)
    sessions?.write(to: &body)
    body.flag(unknown != nil)
    unknown?.write(to: &body)
    body.number16(UInt16(truncatingIfNeeded: programs.count))
    for program in programs { program.write(to: &body) }
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    account = try body.number32()
    name = try body.text(.accountPlace)
    home = try body.text(.accountPlace)
    screen = try ScreenTerms(from: &body)
    sessions = try body.flag("whether sessions close") ? try SessionTerms(from: &body) : nil
    unknown = try body.flag("whether unknown programs are treated") ? try ProgramTerms(from: &body) : nil
    let count = Int(try body.number16())
    guard count <= AgentOrders.maximumPrograms else { throw .value("\(count) applications") }
    programs = []
    for _ in 0..<count {
      let program = try ProgramOrder(from: &body)
      if let last = programs.last, !last.precedes(program) { throw .value("applications in another order") }
      programs.append(program)
    }
  }
}

public struct ProgramOrder: Hashable, Sendable {
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

  func write(to body: inout FieldWriter) {
    body.app(app)
    body.byte(category.order)
    body.flag(isAlwaysAllowed)
    body.flag(countsLaunches)
    terms.write(to: &body)
    body.number16(UInt16(truncatingIfNeeded: matchers.count))
    for matcher in matchers { body.matcher(matcher) }
    body.number16(UInt16(truncatingIfNeeded: processes.count))
    for process in processes { body.process(process) }
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    app = try body.app()
    category = try AppCategory(order: try body.byte())
    isAlwaysAllowed = try body.flag("whether it is always allowed")
    countsLaunches = try body.flag("whether what it starts counts as it")
    terms = try ProgramTerms(from: &body)
    let count = Int(try body.number16())
    let most = app == .otherPrograms ? AgentOrders.maximumOtherMatchers : AgentOrders.maximumMatchers
    guard count <= most else { throw .value("\(count) matchers") }
    matchers = []
    for _ in 0..<count { matchers.append(try body.matcher()) }
    let named = Int(try body.number16())
    guard named <= AgentOrders.maximumProcesses else { throw .value("\(named) processes") }
    processes = []
    for _ in 0..<named {
      let process = try body.process()
      if let last = processes.last, last >= process { throw .value("processes in another order") }
      processes.append(process)
    }
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

  fileprivate init(order: UInt8) throws(AgentFrameError) {
    guard let category = Self.allCases.first(where: { $0.order == order }) else { throw .value("category \(order)") }
    self = category
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

  fileprivate init(order: UInt8) throws(AgentFrameError) {
    guard let kind = Self.allCases.first(where: { $0.order == order }) else { throw .value("matcher kind \(order)") }
    self = kind
  }
}

extension FieldWriter {
  /// Writes a matcher: its kind in one byte, then its value.
  mutating func matcher(_ value: AppMatcher) {
    byte(value.kind.order)
    text(value.value, .matcherValue)
  }
}

extension FieldReader {
  /// Reads a matcher, whose value is checked by the rule for texts alone.
  mutating func matcher() throws(AgentFrameError) -> AppMatcher {
    let kind = try AppMatcher.Kind(order: try byte())
    return AppMatcher(kind: kind, value: try text(.matcherValue))
  }
}

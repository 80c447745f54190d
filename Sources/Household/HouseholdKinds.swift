import FoundationEssentials
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules

extension FactRegistry {
  public static let household = FactRegistry([.ledger, .request, .answer, .need, .machines])
}

extension FactKind {
  public static let ledger: FactKind = "ledger"
  public static let request: FactKind = "request"
  public static let answer: FactKind = "answer"
  /// A statement on whether a child's machine wants points.
  public static let need: FactKind = "need"
  /// A statement on the machines to which a parent lends a child's points.
  public static let machines: FactKind = "machines"
}

/// The kinds of fact.
///
/// Spec: Protocol/12-facts.md §3, §4.
extension FactDefinition {
  /// The number of days for which requests and answers are kept after their day.
  public static let daysOfRequests = 14

  /// The definition of ledger entries.
  ///
  /// Only the purse's machine writes them, and no machine forgets them.
  static let ledger = FactDefinition(
    .ledger, author: nil, most: 65_536, daysKept: nil,
    isKept: { text, held in
      guard let entry = LedgerEntry(text), let present = LedgerEntry(held) else { return false }
      return entry.isKept(over: present)
    },
    read: { text in
      LedgerEntry(text).map { entry in
        FactReading(
          identity: "\(entry.id.kind.rawValue) \(entry.id.source) \(Hexadecimal.encode(entry.id.purse.bytes))",
          author: entry.id.purse, day: entry.day)
      }
    })

  /// The definition of requests.
  ///
  /// Only a child's machine makes them.
  static let request = FactDefinition(
    .request, author: .child, most: RequestBook.mostPerDay * 16, daysKept: daysOfRequests, isAsked: true
  ) { text in
    ChildRequest(text).map { request in
      FactReading(identity: Hexadecimal.encode(request.id.bytes), author: request.device, day: request.day)
    }
  }

  /// The definition of answers.
  ///
  /// Only a parent's machine makes them, one for each request.
  static let answer = FactDefinition(
    .answer, author: .parent, most: RequestBook.mostAnswersPerDay * 16, daysKept: daysOfRequests,
    isKept: { text, held in
      guard let answer = RequestAnswer(text), let present = RequestAnswer(held) else { return false }
      return answer.isKept(over: present)
    },
    read: { text in
      RequestAnswer(text).map { answer in
        FactReading(
          identity: Hexadecimal.encode(answer.request.bytes + answer.modified.author.bytes),
          author: answer.modified.author, day: answer.day)
      }
    })

  /// The definition of machines' statements on points that they want.
  ///
  /// The last statement of each counts.
  static let need = FactDefinition(
    .need, author: .child, most: 256, daysKept: nil,
    isKept: { text, held in isLater(PointsNeed(text)?.modified, PointsNeed(held)?.modified, text, held) },
    read: { text in PointsNeed(text).map { standing($0.modified) } })

  /// The definition of parents' statements on the machines to which they lend.
  ///
  /// The last statement of each counts.
  static let machines = FactDefinition(
    .machines, author: .parent, most: 256, daysKept: nil,
    isKept: { text, held in isLater(ChildMachines(text)?.modified, ChildMachines(held)?.modified, text, held) },
    read: { text in ChildMachines(text).map { standing($0.modified) } })

  private static func standing(_ modified: HybridTimestamp) -> FactReading {
    FactReading(identity: Hexadecimal.encode(modified.author.bytes), author: modified.author, day: .first)
  }

  private static func isLater(
    _ time: HybridTimestamp?, _ held: HybridTimestamp?, _ text: String, _ other: String
  ) -> Bool {
    guard let time, let held else { return false }
    return time == held ? text.utf8.lexicographicallyPrecedes(other.utf8) : time > held
  }
}

extension EffectTransaction {
  public func requests(of child: ChildID) throws -> (requests: [ChildRequest], answers: [RequestAnswer]) {
    (
      try facts(.request, of: child).compactMap { ChildRequest($0.text) },
      try facts(.answer, of: child).compactMap { RequestAnswer($0.text) }
    )
  }

  public func rules(of child: ChildID) throws -> RuleSet {
    RuleSet.read(try registers(in: .family) + registers(in: .child(child)), child: child).rules
  }
}

extension CommandRegistry {
  public static let household = CommandRegistry(household: [])

  /// Creates a registry of the kinds in this version and of additional kinds, which only tests
  /// define.
  public init(household others: [any CommandDefinition.Type]) {
    self.init(
      [
        RequestReport.self, TextMessage.self, Edit.self, TakePoints.self, ReviewLearning.self, ScanApplications.self,
      ] + others)
  }

  public func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.userInfo[.commands] = self
    return decoder
  }
}

extension MessageBodyCoding {
  public init() { self.init(.household, .household) }

  /// Creates a coding for the given kinds of command, and for the kinds of fact in this version.
  public init(_ commands: CommandRegistry) { self.init(commands, .household) }
}

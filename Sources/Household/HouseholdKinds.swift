import FoundationEssentials
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules

extension FactRegistry {
  public static let household = FactRegistry([.ledger, .request, .answer, .need, .machines])
}

extension FactKind {
  /// An entry of a child's ledger of points.
  public static let ledger: FactKind = "ledger"
  public static let request: FactKind = "request"
  public static let answer: FactKind = "answer"
  /// Whether a child's machine wants points.
  public static let need: FactKind = "need"
  /// The machines to which a parent lends a child's points.
  public static let machines: FactKind = "machines"
}

/// The kinds of fact.
///
/// Spec: Protocol/12-facts.md §3, §4.
extension FactDefinition {
  /// The days for which requests and answers are kept after their own.
  public static let daysOfRequests = 14

  /// Entries of the ledger, which only the machine of their purse writes and no machine forgets.
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

  /// Requests, which only a child's machine makes.
  static let request = FactDefinition(
    .request, author: .child, most: RequestBook.mostPerDay * 16, daysKept: daysOfRequests, isAsked: true
  ) { text in
    ChildRequest(text).map { request in
      FactReading(identity: Hexadecimal.encode(request.id.bytes), author: request.device, day: request.day)
    }
  }

  /// Answers, one of each parent to each request, which only a parent's machine makes.
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

  /// What machines say about points that they want; the last statement of each holds.
  static let need = FactDefinition(
    .need, author: .child, most: 256, daysKept: nil,
    isKept: { text, held in isLater(PointsNeed(text)?.modified, PointsNeed(held)?.modified, text, held) },
    read: { text in PointsNeed(text).map { standing($0.modified) } })

  /// What parents say about the machines to which they lend; the last statement of each holds.
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

  /// Returns the rules of a child that this machine holds.
  public func rules(of child: ChildID) throws -> RuleSet {
    RuleSet.read(try registers(in: .family) + registers(in: .child(child)), child: child).rules
  }
}

extension CommandRegistry {
  public static let household = CommandRegistry(household: [])

  /// Creates a registry of the kinds in this version and of additional ones, which only tests
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

  /// Creates a coding for kinds of command, and for the kinds of fact in this version.
  public init(_ commands: CommandRegistry) { self.init(commands, .household) }
}

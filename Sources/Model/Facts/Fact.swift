/// A statement about a child that never changes: facts only add up.
///
/// A fact belongs to the child's zone. Its kind (`FactDefinition`) defines how its identity, author
/// and day follow from its text. A fact that arrives twice counts once.
///
/// Spec: Protocol/12-facts.md §1.
public struct Fact: Hashable, Sendable {
  public static let textBytes = 4_096

  public var child: ChildID
  /// The kind, which says what the text means.
  public var kind: FactKind
  /// The content, *paragraphs* of 1 to 4,096 bytes in the one form that the kind defines.
  public var text: String

  public init(_ child: ChildID, _ kind: FactKind, _ text: String) {
    (self.child, self.kind, self.text) = (child, kind, text)
  }

  /// The number of bytes that the fact counts for in an item.
  public var size: Int { 32 + kind.rawValue.utf8.count + text.utf8.count }
}

/// The name of a kind of fact: 1 to 64 ASCII letters, digits and hyphens.
public struct FactKind: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
  public let rawValue: String

  /// Creates a name from text; `nil` if it is malformed.
  public init?(rawValue: String) {
    guard let word = CommandKind(rawValue: rawValue) else { return nil }
    self.rawValue = word.rawValue
  }

  public var description: String { rawValue }

  public static func < (left: FactKind, right: FactKind) -> Bool { left.rawValue < right.rawValue }
}

extension FactKind: ExpressibleByStringLiteral {
  /// Creates a name from a literal; traps if the literal is not a valid name.
  public init(stringLiteral value: String) {
    guard let kind = FactKind(rawValue: value) else { preconditionFailure("\(value) is no word for a kind") }
    self = kind
  }
}

/// Facts in items.
///
/// Spec: Protocol/12-facts.md §5.
extension [Fact] {
  /// The facts in their order, in batches of which each fits one item.
  public var factBatches: [[Fact]] {
    var batches: [[Fact]] = []
    var bytes = 0
    for fact in self {
      let isFull = batches.last.map { $0.count >= Limits.factItems } ?? true
      if isFull || bytes + fact.size > Limits.factBytes {
        batches.append([])
        bytes = 0
      }
      batches[batches.count - 1].append(fact)
      bytes += fact.size
    }
    return batches
  }
}

/// The identity, the author and the day of a fact, as read from its text.
public struct FactReading: Hashable, Sendable {
  /// The identity, at most 255 bytes: of two facts of one child, kind and identity, one is kept.
  public var identity: String
  public var author: DeviceID
  public var day: FamilyDay

  public init(identity: String, author: DeviceID, day: FamilyDay) {
    (self.identity, self.author, self.day) = (identity, author, day)
  }
}

/// A kind of fact.
///
/// Each kind is one value of this type in the registry; no other code lists kinds.
///
/// Spec: Protocol/12-facts.md §2.
public struct FactDefinition: Sendable {
  public var kind: FactKind
  /// The role of the machines that may author such facts; `nil` for every machine.
  public var author: DeviceRole?
  /// The largest number of such facts of one child that a machine keeps.
  public var most: Int
  /// The days after which such a fact is forgotten, counted from its own; `nil` for never.
  public var daysKept: Int?
  /// A Boolean value that indicates whether it is a child's request, of which parents are notified.
  public var isAsked = false
  /// Reads a text; returns `nil` unless it is a valid fact in its one form.
  public var read: @Sendable (String) -> FactReading?
  /// Returns whether a text replaces the stored text that has the same identity.
  ///
  /// It must order the texts, so that every order of arrival has the same outcome.
  public var isKept: @Sendable (_ text: String, _ held: String) -> Bool

  /// Creates a kind.
  ///
  /// By default, the text that sorts first by bytes is kept.
  public init(
    _ kind: FactKind, author: DeviceRole?, most: Int, daysKept: Int?, isAsked: Bool = false,
    isKept: @escaping @Sendable (String, String) -> Bool = { $0.utf8.lexicographicallyPrecedes($1.utf8) },
    read: @escaping @Sendable (String) -> FactReading?
  ) {
    (self.kind, self.author, self.most, self.daysKept) = (kind, author, most, daysKept)
    (self.isAsked, self.isKept, self.read) = (isAsked, isKept, read)
  }
}

/// The kinds of fact that a program supports, by name.
///
/// `LatchkeyHousehold` defines the production registry; the store receives it with the body coding.
public struct FactRegistry: Sendable {
  private let definitions: [FactKind: FactDefinition]

  public init(_ definitions: [FactDefinition]) {
    self.definitions = Dictionary(uniqueKeysWithValues: definitions.map { ($0.kind, $0) })
  }

  public var kinds: [FactDefinition] { definitions.values.sorted { $0.kind < $1.kind } }

  public func definition(_ kind: FactKind) -> FactDefinition? { definitions[kind] }
}

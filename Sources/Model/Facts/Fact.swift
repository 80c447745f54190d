/// A statement about a child that never changes: facts only add up.
///
/// A fact belongs to the child's zone. Its identity, its author and its day follow from its text,
/// as its kind says (`FactDefinition`), so that arriving twice is one.
///
/// Spec: Protocol/12-facts.md §1.
public struct Fact: Hashable, Sendable {
  /// The largest number of bytes of a text.
  public static let textBytes = 4_096

  public var child: ChildID
  /// The kind, which says what the text means.
  public var kind: FactKind
  /// The content, *paragraphs* of 1 to 4,096 bytes in the one form that the kind defines.
  public var text: String

  public init(_ child: ChildID, _ kind: FactKind, _ text: String) {
    self.child = child
    self.kind = kind
    self.text = text
  }

  /// The bytes for which a fact counts in an item.
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

  /// Returns whether `left` sorts before `right`.
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

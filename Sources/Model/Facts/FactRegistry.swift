/// What the text of a fact says about the fact itself.
public struct FactReading: Hashable, Sendable {
  /// The identity, at most 255 bytes: of two facts of one child, kind and identity, one is kept.
  public var identity: String
  /// The machine that made the fact.
  public var author: DeviceID
  /// The family's day that the fact is about.
  public var day: FamilyDay

  public init(identity: String, author: DeviceID, day: FamilyDay) {
    self.identity = identity
    self.author = author
    self.day = day
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
  /// A Boolean value that indicates whether a child asks the parents with it, who are told of it.
  public var isAsked = false
  /// Reads a text; `nil` for any text but the one form of a valid fact.
  public var read: @Sendable (String) -> FactReading?
  /// Returns whether the first of two texts of one identity is kept although the second one is
  /// held.
  ///
  /// It must order the texts, so that every order of arrival has the same outcome.
  public var isKept: @Sendable (_ text: String, _ held: String) -> Bool

  /// Creates a kind.
  ///
  /// Unless it says otherwise, the text that sorts first by bytes is kept.
  public init(
    _ kind: FactKind, author: DeviceRole?, most: Int, daysKept: Int?, isAsked: Bool = false,
    isKept: @escaping @Sendable (String, String) -> Bool = { $0.utf8.lexicographicallyPrecedes($1.utf8) },
    read: @escaping @Sendable (String) -> FactReading?
  ) {
    self.kind = kind
    self.author = author
    self.most = most
    (self.daysKept, self.isAsked) = (daysKept, isAsked)
    self.isKept = isKept
    self.read = read
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

  /// Returns the definition of a kind; `nil` if it is not registered.
  public func definition(_ kind: FactKind) -> FactDefinition? { definitions[kind] }
}

/// A kind of list that a child's machine gives of itself.
///
/// A new kind is one type of entry that `all` names.
///
/// Spec: Protocol/06-messages.md §10.
package struct InventoryKind: Hashable, Sendable {
  /// What the receiver looks at anew when such a list arrives.
  package enum News: Hashable, Sendable {
    case nothing
    /// Whose machines and accounts they are.
    case household
    /// How much is left of a child's day.
    case use
  }

  /// The name on the wire and in the database.
  package let name: String
  /// The largest number of entries.
  package let most: Int
  package let parts: Int
  /// Whether parents forward the list to the other machines of the children whom its entries are
  /// about.
  ///
  /// Such a list has one part.
  package let isShared: Bool
  /// Whether the list is sent again although it has not changed, as long as it has entries.
  package let isRepeated: Bool
  /// What the receiver looks at anew.
  package let news: News

  package init(
    _ name: String, most: Int, parts: Int = 1, isShared: Bool = false, isRepeated: Bool = false, news: News = .nothing
  ) {
    self.name = name
    self.most = most
    self.parts = parts
    self.isShared = isShared
    self.isRepeated = isRepeated
    self.news = news
  }

  package static let all: [any InventoryEntry.Type] = [
    Account.self,
    MachineCondition.self,
    InstalledApp.self,
    PairedParent.self,
    RefusedProgram.self,
    RunningUse.self,
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.inventory.name, $0) })

  /// Returns the entries of the kind with a name; `nil` if this version knows none.
  package static func entry(of name: String) -> (any InventoryEntry.Type)? { byName[name] }
}

/// An entry of a list that a child's machine gives of itself.
package protocol InventoryEntry: Hashable, Sendable {
  static var inventory: InventoryKind { get }
  /// The lines of the entry's text; the first is different for each entry of a list.
  var lines: [String] { get }
  /// A sentence that describes the first invalid value; `nil` if all are valid.
  var fault: String? { get }
  /// The child whom an entry of a shared list is about; `nil` for none.
  var child: ChildID? { get set }

  /// Creates an entry from its lines, whose values need not be valid; `nil` if they are not the
  /// lines of an entry.
  init?(lines: [String])
}

extension InventoryEntry {
  /// No child, since the list is not shared.
  package var child: ChildID? {
    get { nil }
    set {}
  }

  package var text: String { lines.joined(separator: "\n") }

  /// Creates an entry from its text; `nil` if a value is invalid, or if the entry would be written
  /// differently.
  package init?(text: String) {
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
    self.init(lines: lines)
    guard fault == nil, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

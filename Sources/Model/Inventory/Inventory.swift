/// A kind of inventory: a list in which a child's machine reports on itself.
///
/// A new kind is one type of entry in `all`.
///
/// Spec: Protocol/06-messages.md §10.
package struct InventoryKind: Hashable, Sendable {
  /// The state that the receiver evaluates again when such a list arrives.
  package enum News: Hashable, Sendable {
    case nothing
    /// The assignment of machines and accounts.
    case household
    /// The time that is left of a child's day.
    case use
  }

  /// The name on the wire and in the database.
  package let name: String
  /// The largest number of entries.
  package let most: Int
  package var parts = 1
  /// Whether parents forward the list to the other machines of the children whom its entries are
  /// about.
  ///
  /// Such a list has one part.
  package var isShared = false
  /// Whether the list is sent again although it has not changed, as long as it has entries.
  package var isRepeated = false
  /// The state that the receiver evaluates again.
  package var news = News.nothing
  /// What has changed for the readers of changes when a list has; `nil` if they are told nothing.
  package var about: ChangeEvent.About?

  package static let all: [any InventoryEntry.Type] = [
    Account.self, MachineCondition.self, InstalledApp.self, PairedParent.self, RefusedProgram.self, RunningUse.self,
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.inventory.name, $0) })

  /// Returns the entries of the kind with a name; `nil` if this version knows none.
  package static func entry(of name: String) -> (any InventoryEntry.Type)? { byName[name] }
}

/// An entry of an inventory.
package protocol InventoryEntry: Hashable, Sendable {
  static var inventory: InventoryKind { get }
  /// The lines of the entry's text; the first is different for each entry of a list.
  var lines: [String] { get }
  /// A sentence that describes the first invalid value; `nil` if all are valid.
  var fault: String? { get }
  /// The child whom an entry of a shared list is about; `nil` for none.
  var child: ChildID? { get set }

  /// Creates an entry from its lines, whose values need not be valid; else `nil`.
  init?(lines: [String])
}

extension InventoryEntry {
  /// No child, since the list is not shared.
  package var child: ChildID? {
    get { nil }
    set {}
  }

  package var text: String { lines.joined(separator: "\n") }

  /// Creates an entry from its text; `nil` if a value is invalid or written differently.
  package init?(text: String) {
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
    self.init(lines: lines)
    guard fault == nil, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

/// A part of an inventory, such as of a machine's accounts.
///
/// It is the body of an item of kind 8. A long list has several parts, each an item of its own.
///
/// Spec: Protocol/06-messages.md §10.
public struct Inventory: Hashable, Sendable {
  /// The machine that the list is about; `nil` if that is the sender.
  public var device: DeviceID?
  public var kind: String
  /// The number of the list, which counts the machine's lists of the kind from 1.
  public var number: UInt64
  /// The place of this part, from 0.
  public var part: Int
  /// The number of parts, 1 to 8.
  public var parts: Int
  /// The number of entries that did not fit into the list.
  public var more: Int
  /// The texts of the entries, each with a different first line.
  public var entries: [String]

  public init(
    device: DeviceID? = nil, kind: String, number: UInt64, part: Int = 0, parts: Int = 1, more: Int = 0,
    entries: [String]
  ) {
    (self.device, self.kind, self.number, self.part) = (device, kind, number, part)
    (self.parts, self.more, self.entries) = (parts, more, entries)
  }

  /// Returns the part if its kind permits all of it; otherwise throws the sender's fault.
  package func checked() throws(BodyFault) -> Inventory {
    guard let type = InventoryKind.entry(of: kind) else {
      throw BodyFault("This machine does not know that kind of list.", .unknownKind)
    }
    guard parts <= type.inventory.parts, entries.count <= type.inventory.most else {
      throw BodyFault("The list of \(kind) is too long: \(entries.count) entries, \(parts) parts.")
    }
    var known: Set<[UInt8]> = []
    for text in entries {
      guard type.isEntry(text) else { throw BodyFault("The list of \(kind) has an entry that cannot be read.") }
      guard known.insert(Array(text.utf8.prefix { $0 != 0x0A })).inserted else {
        throw BodyFault("The list of \(kind) names something twice.")
      }
    }
    return self
  }

  /// Returns the part with only the entries about some children.
  package func of(_ children: Set<ChildID>) -> Inventory {
    guard let type = InventoryKind.entry(of: kind) else { return self }
    var part = self
    part.entries = entries.filter { type.child(of: $0).map { children.contains($0) } ?? false }
    return part
  }

  /// Returns the part in which entries about other children than these name no child.
  package func naming(_ children: Set<ChildID>) -> Inventory {
    guard let type = InventoryKind.entry(of: kind) else { return self }
    var part = self
    part.entries = entries.map { text in
      type.child(of: text).map { children.contains($0) } ?? true ? text : type.withoutChild(text)
    }
    return part
  }

  /// The bytes for which an entry counts in a part, with what protobuf adds to it.
  fileprivate static func size(_ textBytes: Int) -> Int { textBytes + 8 }
}

extension InventoryEntry {
  fileprivate static func isEntry(_ text: String) -> Bool { Self(text: text) != nil }

  fileprivate static func child(of text: String) -> ChildID? { Self(text: text)?.child }

  fileprivate static func withoutChild(_ text: String) -> String {
    guard var entry = Self(text: text) else { return text }
    entry.child = nil
    return entry.text
  }
}

/// The entries of an inventory, as many as fit.
package struct EntryList<Entry: InventoryEntry>: Hashable, Sendable {
  /// The entries, in the order in which they were found.
  package var entries: [Entry]
  /// The number of entries that did not fit.
  package var more: Int

  /// Creates a list of entries, of which the first ones are kept if there are too many.
  ///
  /// Of several entries with the same first line, the first one counts. `more` is the number of
  /// entries that were not scanned.
  package init(_ found: some Sequence<Entry>, more: Int = 0) {
    let kind = Entry.inventory
    // The parts are never too many, because each part but the last is filled up to the size of one
    // entry.
    let most = kind.parts * Limits.inventoryBytes - (kind.parts - 1) * Inventory.size(Limits.lineBytes)
    var known: Set<[UInt8]> = []
    (entries, self.more) = ([], more)
    var bytes = 0
    for entry in found where known.insert(Array(entry.lines[0].utf8)).inserted {
      let size = Inventory.size(entry.text.utf8.count)
      guard entries.count < kind.most, bytes + size <= most else {
        self.more += 1
        continue
      }
      entries.append(entry)
      bytes += size
    }
  }

  /// Returns the list in parts, of which each fits one item.
  package func parts(number: UInt64) -> [Inventory] {
    var parts: [[String]] = [[]]
    var bytes = 0
    for text in entries.map(\.text) {
      let size = Inventory.size(text.utf8.count)
      if bytes + size > Limits.inventoryBytes {
        parts.append([])
        bytes = 0
      }
      parts[parts.count - 1].append(text)
      bytes += size
    }
    return parts.enumerated().map {
      Inventory(
        kind: Entry.inventory.name, number: number, part: $0.offset, parts: parts.count, more: more,
        entries: $0.element)
    }
  }
}

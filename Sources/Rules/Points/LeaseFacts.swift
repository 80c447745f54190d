import LatchkeyModel

/// What a child's machine says of itself: whether it wants points.
///
/// Of two from one machine, the later one holds.
///
/// Spec: Protocol/12-facts.md §3.
public struct PointsNeed: Hashable, Sendable {
  /// When it was said, and by which machine.
  public var modified: HybridTimestamp
  /// A Boolean value that indicates whether a reward runs on the machine, or is about to.
  public var isNeeded: Bool

  /// Creates a statement.
  public init(modified: HybridTimestamp, isNeeded: Bool) {
    self.modified = modified
    self.isNeeded = isNeeded
  }

  /// The statement as text: the machine, the hybrid time, `yes` or `no`.
  public var text: String { TextField.time(modified) + (isNeeded ? " yes" : " no") }

  /// Creates a statement from its text; `nil` for any other text.
  public init?(_ text: String) {
    let fields = TextField.words(text)
    guard fields.count == 4, let modified = TextField.time(fields), ["yes", "no"].contains(fields[3]) else {
      return nil
    }
    self.init(modified: modified, isNeeded: fields[3] == "yes")
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

/// What a parent's machine says of a child: the machines to which it lends points.
///
/// Of two from one parent, the later one holds.
///
/// Spec: Protocol/12-facts.md §3.
public struct ChildMachines: Hashable, Sendable {
  /// The largest number of machines.
  public static let most = 64

  /// When it was said, and by which parent.
  public var modified: HybridTimestamp
  /// The machines.
  public var machines: Set<DeviceID>

  /// Creates a statement; of more than 64 machines, those that sort first are named.
  public init(modified: HybridTimestamp, machines: Set<DeviceID>) {
    self.modified = modified
    self.machines = Set(machines.sorted().prefix(Self.most))
  }

  /// The statement as text: the parent, the hybrid time, the machines in ascending order.
  public var text: String {
    ([TextField.time(modified)] + machines.sorted().map(TextField.device)).joined(separator: " ")
  }

  /// Creates a statement from its text; `nil` for any other text.
  public init?(_ text: String) {
    let fields = TextField.words(text)
    guard let modified = TextField.time(fields), fields.count <= 3 + Self.most else { return nil }
    self.init(modified: modified, machines: Set(fields.dropFirst(3).compactMap { TextField.device($0) }))
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }
}

extension TextField {
  static func time(_ time: HybridTimestamp) -> String {
    [device(time.author), String(time.wall), String(time.counter)].joined(separator: " ")
  }

  static func time(_ fields: [String]) -> HybridTimestamp? {
    guard fields.count >= 3, let author = device(fields[0]), let wall = Int64(fields[1]),
      HybridTimestamp.walls.contains(wall), let counter = UInt32(fields[2])
    else { return nil }
    return HybridTimestamp(wall: wall, counter: counter, author: author)
  }
}

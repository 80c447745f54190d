import LatchkeyModel

/// A statement by a child's machine whether it wants points.
///
/// The later of two statements by one machine counts.
///
/// Spec: Protocol/12-facts.md §3.
public struct PointsNeed: Hashable, Sendable {
  /// The time of the statement, and the machine that made it.
  public var modified: HybridTimestamp
  /// A Boolean value that indicates whether a reward runs on the machine, or is about to.
  public var isNeeded: Bool

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

/// A statement by a parent's machine about the machines of a child that it lends points to.
///
/// The later of two statements by one parent counts.
///
/// Spec: Protocol/12-facts.md §3.
public struct ChildMachines: Hashable, Sendable {
  public static let most = 64

  /// The time of the statement, and the parent that made it.
  public var modified: HybridTimestamp
  public var machines: Set<DeviceID>

  /// Creates a statement.
  ///
  /// If there are more than 64 machines, it names those that sort first.
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

/// The disk that a node's database is on.
///
/// Spec: Protocol/07-local-api.md.
public struct DiskStatus: Hashable, Sendable, Codable {
  /// The condition of the disk.
  public enum State: String, Codable, Sendable, Hashable, CaseIterable {
    case well
    /// The disk has no space for new work; stored data are read and delivered.
    case full
    case readOnly = "read-only"
    case faulty
    /// The database is damaged; the node writes nothing until it is restarted.
    case damaged
  }

  public var state: State
  /// The bytes that this user may still write; `nil` if the system does not report them.
  public var freeBytes: Int64?
  /// The size of the database file in bytes.
  public var databaseBytes: Int64
  /// The size of the write-ahead log in bytes.
  public var logBytes: Int64
  /// The bytes held in reserve for a full disk; 0 while the reserve is released.
  public var reserveBytes: Int64

  public init(state: State, freeBytes: Int64?, databaseBytes: Int64, logBytes: Int64, reserveBytes: Int64) {
    self.state = state
    self.freeBytes = freeBytes
    self.databaseBytes = databaseBytes
    self.logBytes = logBytes
    self.reserveBytes = reserveBytes
  }
}

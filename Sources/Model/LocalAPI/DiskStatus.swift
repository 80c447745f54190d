/// The disk that a node's database is on.
///
/// Spec: Protocol/07-local-api.md.
public struct DiskStatus: Hashable, Sendable, Codable {
  /// How the disk is.
  public enum State: String, Codable, Sendable, Hashable, CaseIterable {
    case well
    /// There is no room for new work; what is stored is read and delivered.
    case full
    case readOnly = "read-only"
    case faulty
    /// The database is damaged; nothing is written until the node is started again.
    case damaged
  }

  public var state: State
  /// Bytes that this user may still write; `nil` if the system does not tell.
  public var freeBytes: Int64?
  /// Bytes of the database's file.
  public var databaseBytes: Int64
  /// Bytes of its write-ahead log.
  public var logBytes: Int64
  /// Bytes held in reserve for a full disk; 0 while they are given up.
  public var reserveBytes: Int64

  public init(state: State, freeBytes: Int64?, databaseBytes: Int64, logBytes: Int64, reserveBytes: Int64) {
    self.state = state
    self.freeBytes = freeBytes
    self.databaseBytes = databaseBytes
    self.logBytes = logBytes
    self.reserveBytes = reserveBytes
  }
}

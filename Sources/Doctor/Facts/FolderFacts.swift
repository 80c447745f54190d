/// The state folder and its disk.
public struct FolderFacts: Sendable, Hashable {
  /// Something in the folder, or the folder itself.
  public struct Entry: Sendable, Hashable {
    public var path: String
    /// The user it belongs to.
    public var owner: UInt32
    /// The nine permission bits and those above them.
    public var mode: UInt32
    /// Whether it is a symbolic link; its owner and mode say nothing then.
    public var isLink: Bool
    /// The names that a file has.
    public var names: Int

    public init(path: String, owner: UInt32, mode: UInt32, isLink: Bool = false, names: Int = 1) {
      self.path = path
      self.owner = owner
      self.mode = mode
      self.isLink = isLink
      self.names = names
    }
  }

  public var path: String
  /// Whether there is one.
  public var exists: Bool
  /// The user that asks.
  public var user: UInt32
  /// The folder first, then what is in it.
  public var entries: [Entry]
  /// A folder above it in which any user may rename and replace what is there; nil for none.
  public var exposedParent: String?
  /// Bytes that may still be written; nil when that is not known.
  public var freeBytes: Int64?
  public var isReadOnly: Bool
  /// Microseconds that a small write took to be durable, in the middle of several; nil when none could be made.
  public var syncMicroseconds: Int64?
  /// Why nothing could be written, as the system says it.
  public var writeFault: String?

  public init(
    path: String, exists: Bool = true, user: UInt32 = 0, entries: [Entry] = [], exposedParent: String? = nil,
    freeBytes: Int64? = nil, isReadOnly: Bool = false, syncMicroseconds: Int64? = nil, writeFault: String? = nil
  ) {
    self.path = path
    self.exists = exists
    self.user = user
    self.entries = entries
    self.exposedParent = exposedParent
    self.freeBytes = freeBytes
    self.isReadOnly = isReadOnly
    self.syncMicroseconds = syncMicroseconds
    self.writeFault = writeFault
  }
}

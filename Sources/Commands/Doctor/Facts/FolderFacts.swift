/// The state folder and its disk.
public struct FolderFacts: Sendable, Hashable {
  /// The state folder itself, or a file or folder in it.
  public struct Entry: Sendable, Hashable {
    public var path: String
    /// The user ID of the owner.
    public var owner: UInt32
    /// The permission bits, including those for set-user-ID, set-group-ID and sticky.
    public var mode: UInt32
    /// A Boolean value that indicates whether the entry is a symbolic link, whose owner and mode
    /// have no meaning.
    public var isLink: Bool
    /// The number of hard links to a file.
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
  public var exists: Bool
  /// The user ID of the caller.
  public var user: UInt32
  public var entries: [Entry]
  /// An ancestor folder in which any user may rename and replace files; `nil` if there is none.
  public var exposedParent: String?
  /// The bytes that this user may still write; `nil` if unknown.
  public var freeBytes: Int64?
  /// A Boolean value that indicates whether the disk is mounted read-only.
  public var isReadOnly: Bool
  /// The median time until a small write was durable, in microseconds; `nil` if none succeeded.
  public var syncMicroseconds: Int64?
  /// The system's reason why writing failed; `nil` if it succeeded.
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

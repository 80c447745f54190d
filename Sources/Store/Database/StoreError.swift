import GRDB
import LatchkeyModel

/// A failure of the store.
///
/// Each description is one sentence with the next step.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  case diskFull
  case readOnly
  case inputOutput(String)
  case cannotOpen(path: String, reason: String)
  /// `PRAGMA quick_check` or SQLite itself found damage; the file was moved to `setAside` unless
  /// that is `nil`.
  case corrupt(path: String, setAside: String?)
  case newerVersion(path: String)
  /// A limit is reached.
  ///
  /// The caller has to wait, or to continue without it.
  case queueFull(StreamClass)
  case tooManyPeers
  /// The device is not paired, or no longer.
  case noSuchPeer
  /// The request cannot be carried out in the present state; one sentence with the next step.
  case refused(String)
  /// A fault of this program.
  case unexpected(String)

  /// A Boolean value that indicates whether the disk or the file is at fault, rather than the
  /// request.
  public var isOfDisk: Bool {
    switch self {
    case .diskFull, .readOnly, .inputOutput, .cannotOpen, .corrupt: true
    case .newerVersion, .queueFull, .tooManyPeers, .noSuchPeer, .refused, .unexpected: false
    }
  }

  /// A Boolean value that indicates whether the file's content is damaged, which no trial write can
  /// repair.
  public var isDamage: Bool { if case .corrupt = self { true } else { false } }

  public var description: String {
    switch self {
    case .diskFull, .readOnly, .inputOutput, .queueFull, .tooManyPeers, .noSuchPeer: phrase?.worded() ?? ""
    case .cannotOpen(let path, let reason):
      "The database \(path) cannot be opened (\(reason)): check who owns the folder and its rights."
    case .corrupt(let path, let setAside?):
      "The database \(path) is damaged and was set aside as \(setAside): put a backup in its place, or start again with an "
        + "empty one and pair the devices anew."
    case .corrupt(let path, nil):
      "The database \(path) is damaged: stop the node and start it again to have it checked."
    case .newerVersion(let path):
      "The database \(path) was written by a newer version: update Latchkey, or choose another folder with --state-dir."
    case .refused(let sentence): sentence
    case .unexpected(let what): "The database refused an operation (\(what)): please report this with the log."
    }
  }

  /// The sentence as a phrase, if a person on a page is likely to read it; otherwise `nil`.
  public var phrase: Phrase? {
    switch self {
    case .diskFull:
      Phrase(
        """
        The disk is full, or this user's share of it is used up: make room; nothing that was accepted is lost, and new work \
        is refused until then.
        """)
    case .readOnly:
      Phrase("The state folder's disk is read-only: mount it writable, or choose another one with --state-dir.")
    case .inputOutput(let what):
      Phrase("The disk reported a fault ({what}): check it with `dmesg` and make a backup now.", ["what": .text(what)])
    case .queueFull(.receipt):
      Phrase(
        """
        There is no room for more answers to this device: connect the two machines, or allow more to wait with `latchkey run \
        --queue-items`.
        """)
    case .queueFull(let stream):
      Phrase(
        "The {stream} queue for this device is full: wait until it has been connected, or cancel what is not needed.",
        ["stream": .text(stream.word)])
    case .tooManyPeers: Phrase("This device is paired with the largest possible number of others: unpair one first.")
    case .noSuchPeer: Phrase("There is no such paired device: see `latchkey devices list`.")
    default: nil
    }
  }

  init(_ error: any Error, path: String = "latchkey.sqlite") {
    if let error = error as? StoreError {
      self = error
      return
    }
    guard let error = error as? DatabaseError else {
      self = .unexpected("\(error)")
      return
    }
    switch error.resultCode {
    case .SQLITE_FULL: self = .diskFull
    case .SQLITE_READONLY: self = .readOnly
    case .SQLITE_IOERR: self = .inputOutput("SQLite code \(error.extendedResultCode.rawValue)")
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(path: path, setAside: nil)
    case .SQLITE_CANTOPEN, .SQLITE_PERM: self = .cannotOpen(path: path, reason: error.message ?? "no reason given")
    default: self = .unexpected(error.description)
    }
  }
}

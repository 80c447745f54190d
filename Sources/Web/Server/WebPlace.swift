import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import Synchronization

/// The folder by which commands of the same account find the pages of one node.
///
/// It holds a lock, a socket, and the files that carry one-time links to a browser.
///
/// It lies in the account's session folder, which no other account may enter.
///
/// Spec: Protocol/15-pages.md §2.
public struct WebPlace: Hashable, Sendable {
  public let folder: String
  /// The account's language, for texts that are shown before a browser has sent its own.
  public var language = Language.english

  /// Finds the folder in the session folder, which `XDG_RUNTIME_DIR` names.
  ///
  /// - Throws: `WebFault` if no session folder belongs to this account alone.
  public init(ofNodeIn stateFolder: String, runtimeFolder: String?) throws(WebFault) {
    let given = runtimeFolder.flatMap { $0.hasPrefix("/") ? $0 : nil }
    let base = given ?? "/run/user/\(geteuid())"
    guard Self.isPrivate(base) else {
      throw WebFault(
        "This account has no folder of its session at \(base), which nobody else may enter: log in on the desktop, "
          + "or by ssh, and run this there without `sudo` and `su`.")
    }
    let mark = Hexadecimal.encode(Array(SHA256.hash([UInt8](stateFolder.utf8)).prefix(6)))
    folder = "\(base)/latchkey-web-\(mark)"
  }

  var socket: String { folder + "/web.sock" }

  /// Creates the folder, and removes the files of an earlier process.
  ///
  /// Returns a descriptor that holds the lock, or `nil` if another process serves there.
  func take() throws(WebFault) -> Int32? {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST, Self.isPrivate(folder) else { throw fault(folder) }
    let lock = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw fault(folder + "/lock") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      return nil
    }
    removeFiles()
    return lock
  }

  func removeFiles() {
    for name in ProcFile.names(in: folder) ?? [] where name != "lock" { unlink("\(folder)/\(name)") }
  }

  /// Writes a page that posts a link into a file that only this account can read.
  ///
  /// Returns the file's path, which does not contain the secret.
  func write(link: String, host: String, page: String = WebInvitation.first) throws(WebFault) -> String {
    let path = "\(folder)/open-\(Hexadecimal.encode(SecureRandom.bytes(8))).html"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw fault(path) }
    defer { close(descriptor) }
    let bytes = [UInt8](Self.page(link: link, host: host, page: page, in: language).utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      let failure = fault(path)
      unlink(path)
      throw failure
    }
    return path
  }

  /// Returns a page that posts a link by itself, or by its button in a browser without scripts.
  static func page(
    link: String, host: String, page: String = WebInvitation.first, in language: Language = .english
  ) -> String {
    let button = MarkupEscape.escape(Phrase("Open Latchkey").worded(in: language))
    return """
      <!DOCTYPE html>
      <html lang="\(language.code)">
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <title>Latchkey</title>
      <form method="post" action="http://\(MarkupEscape.escape(host))/in">
      <input type="hidden" name="link" value="\(MarkupEscape.escape(link))">
      <input type="hidden" name="page" value="\(MarkupEscape.escape(page))">
      <button>\(button)</button>
      </form>
      <script>document.forms[0].submit()</script>
      </html>

      """
  }

  func fault(_ path: String) -> WebFault {
    WebFault("\(path) cannot be made (\(SystemError.reason())): check the folder's rights and the disk.")
  }

  /// Returns whether a folder belongs to this account and no other account may enter it.
  static func isPrivate(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }
}

/// A fault that keeps the pages from being shown: a sentence with the next step.
public struct WebFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence, before its translation into the reader's language.
  public var phrase: Phrase

  /// Creates a fault whose sentence is in English alone, for a terminal.
  public init(_ sentence: String) { phrase = Phrase(verbatim: sentence) }
  init(phrase: Phrase) { self.phrase = phrase }

  public var sentence: String { phrase.worded() }
  public var description: String { sentence }
}

/// The confinement of the pages' process to its own files.
///
/// When a phone is let in, everyone in the home's network can reach this process. An attacker who
/// takes it over cannot read the node's key and database, nor any other file of the account.
///
/// Spec: Protocol/15-pages.md §10.
public enum WebConfinement {
  /// Returns the rules for what the process may open: programs and settings of the system, the
  /// folder of phones, and the folder by which commands find it.
  ///
  /// Both folders are created if possible, because a rule can only name an existing folder.
  static func rules(_ place: WebPlace, stateFolder: String) -> [FileConfinement.Rule] {
    let folders = [place.folder, PhonePlace.folder(in: stateFolder)]
    for folder in folders { mkdir(folder, 0o700) }
    return FileConfinement.programs + folders.map { FileConfinement.Rule($0, .write) }
  }

  /// The folder of phones that the rules are about, by its device and number.
  private struct State {
    var folder: FolderMark?
    var isInForce = false
  }

  private static let state = Mutex(State())

  /// A Boolean value that indicates whether this process is confined.
  static var isInForce: Bool { state.withLock { $0.isInForce } }

  /// A Boolean value that indicates whether another folder has taken the place of the folder of
  /// phones, as when a backup was restored.
  ///
  /// The rules are about the earlier folder, so that this process can open nothing in the new one.
  static var isOutdated: Bool { state.withLock { $0.isInForce && $0.folder?.isInPlace == false } }

  /// Confines this process.
  ///
  /// It must have only one thread.
  public static func begin(_ place: WebPlace, stateFolder: String) {
    // Other threads that exist already would not be confined.
    guard ProcFile.names(in: "/proc/self/task")?.count == 1 else { return }
    let rules = rules(place, stateFolder: stateFolder)
    let folder = FolderMark(PhonePlace.folder(in: stateFolder))
    let outcome = FileConfinement.confine(to: rules)
    state.withLock { $0 = State(folder: folder, isInForce: outcome == .confined) }
  }
}

/// A folder as the kernel knows it, whatever its path leads to later.
struct FolderMark: Hashable, Sendable {
  private let path: String
  private let device: UInt64
  private let number: UInt64

  /// Creates the identity of the folder at a path; `nil` if there is none.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    (self.path, device, number) = (path, UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// A Boolean value that indicates whether the path leads to the same folder as before.
  var isInPlace: Bool { FolderMark(path) == self }
}

import Glibc
import LatchkeyModel
import LatchkeyProtocol
import LatchkeySystem

/// The folder in which the pages of one node are found by commands of the same account: a lock, a
/// socket, and the files that carry one-time links to a browser.
///
/// It lies in the account's folder of the session, which no other account may enter.
///
/// Spec: Protocol/15-pages.md §2.
public struct WebPlace: Hashable, Sendable {
  public let folder: String
  /// The language of the account, for what is shown before a browser says its own.
  public var language = Language.english

  /// Finds the folder in that of the session, the value of `XDG_RUNTIME_DIR`.
  ///
  /// - Throws: `WebFault` without a folder that belongs to this account alone.
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

  /// Creates the folder, and removes what an earlier process has left in it; returns a descriptor
  /// that holds its lock, or `nil` if another process serves there.
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

  /// Writes a page that posts a link to a file that only this account can read, and returns the
  /// file's path, which does not tell the secret.
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

  private func fault(_ path: String) -> WebFault {
    WebFault("\(path) cannot be made (\(String(cString: strerror(errno)))): check the folder's rights and the disk.")
  }

  /// Returns whether a folder belongs to this account and nobody else may enter it.
  private static func isPrivate(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }
}

/// What keeps the pages from being shown: a sentence with the next step.
public struct WebFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence, before it is put into the language of who reads it on a page.
  public var phrase: Phrase

  /// Creates a fault whose sentence is in English alone, for a terminal.
  public init(_ sentence: String) { phrase = Phrase(verbatim: sentence) }
  init(phrase: Phrase) { self.phrase = phrase }

  public var sentence: String { phrase.worded() }
  public var description: String { sentence }
}

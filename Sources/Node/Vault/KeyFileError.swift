import Glibc
import LatchkeyProtocol

/// The reasons why a key file cannot be read or written.
public enum KeyFileError: Error, Equatable, Sendable {
  case missing(path: String)
  /// The system refuses to read the file.
  ///
  /// `code` is its error number.
  case unreadable(path: String, code: Int32)
  /// The path is that of a folder, a link or a device.
  case notAFile(path: String)
  /// Users other than the owner have rights to the file.
  ///
  /// `mode` holds its permission bits.
  case rightsTooOpen(path: String, mode: UInt32)
  /// The file belongs to another user.
  ///
  /// `owner` is that user's number.
  case foreignOwner(path: String, owner: UInt32)
  /// A later version of this program wrote the file.
  case newerVersion(path: String, version: Int)
  /// The content is damaged, or is not a key file.
  case corrupt(path: String)
  /// The file exists, and a new identity must never replace one.
  case alreadyExists(path: String)
  /// The system refuses to write the file.
  ///
  /// `code` is its error number.
  case unwritable(path: String, code: Int32)
}

extension KeyFileError: CustomStringConvertible {
  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .missing(let path):
      "There is no key file at \(path); run 'latchkey init' first."
    case .unreadable(let path, let code):
      "The key file \(path) cannot be read (\(SystemFault.text(code))); check who owns it and its folder."
    case .notAFile(let path):
      "\(path) is not a plain file; move it away and restore the key file, or run 'latchkey init'."
    case .rightsTooOpen(let path, let mode):
      "Others may use the key file \(path) (mode \(String(mode, radix: 8))); run 'chmod 600' on it."
    case .foreignOwner(let path, let owner):
      "The key file \(path) belongs to user \(owner); run latchkey as that user, or give the file to this one."
    case .newerVersion(let path, let version):
      "The key file \(path) has format \(version) of a later latchkey; install that version again."
    case .corrupt(let path):
      "The key file \(path) is damaged; restore it from a backup, or move it away and run 'latchkey init'."
    case .alreadyExists(let path):
      "There is a key file at \(path) already; move it away first if this device is to become a new one."
    case .unwritable(let path, let code):
      "The key file \(path) cannot be written (\(SystemFault.text(code))); make room or choose another folder."
    }
  }
}

/// The text of system error numbers.
enum SystemFault {
  /// Returns a short description of an error number.
  static func text(_ code: Int32) -> String {
    var words = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &words, words.count) == 0 else { return "error \(code)" }
    return String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

import Glibc

/// The text of system error numbers.
enum SystemFault {
  /// Returns a short description of an error number.
  static func text(_ code: Int32) -> String {
    var words = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &words, words.count) == 0 else { return "error \(code)" }
    return String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

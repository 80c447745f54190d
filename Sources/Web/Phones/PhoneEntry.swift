import LatchkeyModel
import LatchkeyProtocol

/// The procedure by which a phone is let in: the machine shows a code, the phone shows two digits,
/// and the person at the machine says yes.
///
/// Only hashes of codes and cookies are kept, except for the cookie that the phone will fetch.
///
/// Spec: Protocol/15-pages.md §8.
struct PhoneEntry: Sendable {
  /// The time for which a code may be used, in milliseconds.
  static let codeMilliseconds: Int64 = 60_000
  /// The time for which a phone that has used a code waits for the yes, and after it for its
  /// cookie.
  static let answerMilliseconds: Int64 = 120_000
  /// The time for which phones may come after the last step.
  static let openMilliseconds: Int64 = 600_000

  /// The result of using a code.
  enum Outcome: Hashable, Sendable {
    case claimed
    /// The code was used, has expired, or was replaced by a newer one.
    case over
    /// No such code was ever shown.
    case unknown
  }

  /// The answer to a phone that waits.
  enum Standing: Hashable, Sendable {
    case waiting(digits: Int)
    /// The phone was let in.
    ///
    /// It gets this cookie once.
    case letIn(cookie: String)
    case over
  }

  /// A phone that has used the code.
  struct Claim: Hashable, Sendable {
    /// The two digits that it shows, 10 to 99.
    var digits: Int
    /// The address from which the phone came.
    var address: String
    /// The kind of phone that it says it is, such as `iPhone`; empty if it is not known.
    var kind: String
    fileprivate var secret: [UInt8]
    fileprivate var until: Int64
    fileprivate var cookie: String?
  }

  private struct Code {
    var hash: [UInt8]
    var until: Int64
  }

  private var openUntil: Int64 = 0
  private var code: Code?
  private var over: [[UInt8]] = []
  private var claim: Claim?

  init() {}

  func isOpen(_ now: Int64) -> Bool { now < openUntil }

  /// Returns the time for which the code may still be used, in milliseconds; 0 if there is none.
  func codeLeft(_ now: Int64) -> Int64 { max(0, (code?.until ?? 0) - now) }

  /// Returns the phone that waits for the yes; `nil` if there is none.
  func waiting(_ now: Int64) -> Claim? {
    guard let claim, claim.cookie == nil, now < claim.until else { return nil }
    return claim
  }

  mutating func open(now: Int64) { openUntil = now + Self.openMilliseconds }

  mutating func close() {
    endCode()
    (openUntil, claim) = (0, nil)
  }

  /// Opens a code, which replaces an earlier one.
  ///
  /// `now` is on the boot clock, in milliseconds.
  mutating func offer(_ text: String, now: Int64) {
    endCode()
    claim = nil
    code = Code(hash: Self.hash(text), until: now + Self.codeMilliseconds)
    open(now: now)
  }

  /// Uses the code up for a phone.
  ///
  /// The phone shows two digits, 10 to 99, and is recognized by a secret while it waits.
  mutating func use(_ text: String, secret: String, digits: Int, address: String, kind: String, now: Int64) -> Outcome {
    let hash = Self.hash(text)
    if let code, now < code.until, ConstantTime.areEqual(code.hash, hash) {
      endCode()
      claim = Claim(
        digits: digits, address: address, kind: kind, secret: Self.hash(secret), until: now + Self.answerMilliseconds)
      open(now: now)
      return .claimed
    }
    if let code, ConstantTime.areEqual(code.hash, hash) { return .over }
    if over.contains(where: { ConstantTime.areEqual($0, hash) }) { return .over }
    // Wrong codes end nothing. A minute of guesses does not find a code of 80 bits. If wrong codes
    // ended a code, anyone in the network could keep every phone out by sending some.
    return .unknown
  }

  /// Answers whether the phone that shows these digits is the right one.
  ///
  /// Returns whether such a phone waits.
  ///
  /// `cookie` is the phone's cookie; `nil` to turn it away.
  mutating func answer(digits: Int, cookie: String?, now: Int64) -> Bool {
    guard var waiting = waiting(now), waiting.digits == digits else { return false }
    guard let cookie else {
      claim = nil
      return true
    }
    (waiting.cookie, waiting.until) = (cookie, now + Self.answerMilliseconds)
    claim = waiting
    return true
  }

  /// Returns the answer to the phone with a secret.
  mutating func standing(secret: String, now: Int64) -> Standing {
    guard let claim, now < claim.until, ConstantTime.areEqual(claim.secret, Self.hash(secret)) else { return .over }
    guard let cookie = claim.cookie else { return .waiting(digits: claim.digits) }
    self.claim = nil
    return .letIn(cookie: cookie)
  }

  private mutating func endCode() {
    guard let code else { return }
    if over.count == OneTimeLinks.most { over.removeFirst() }
    over.append(code.hash)
    self.code = nil
  }

  private static func hash(_ text: String) -> [UInt8] { SHA256.hash([UInt8](text.utf8)) }
}

/// The code by which a phone signs in: 80 random bits, in 16 letters and digits that can be typed.
enum PhoneCode {
  /// The number of random bytes.
  static let bytes = 10

  /// Returns the code for random bytes, such as `7F3K-2M9A-…`.
  static func text(_ bytes: [UInt8]) -> String { grouped(Array(Crockford.encode(bytes))) }

  private static func grouped(_ symbols: [Character]) -> String {
    stride(from: 0, to: symbols.count, by: 4).map { String(symbols[$0..<min($0 + 4, symbols.count)]) }
      .joined(separator: "-")
  }

  /// Returns a typed code as `text` writes it, without regard to case, spaces and hyphens.
  static func read(_ typed: String) -> String {
    let symbols = typed.uppercased().unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || $0.value >= 0x30 && $0.value <= 0x39)
    }
    // Letters that are read as digits.
    return grouped(symbols.map { $0 == "O" ? "0" : $0 == "I" || $0 == "L" ? "1" : Character($0) })
  }
}

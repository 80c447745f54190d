/// A PIN: the digits with which a child says who is there in an account that several children
/// share.
///
/// Spec: Protocol/10-household.md §3.
public struct PIN: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The permitted numbers of digits.
  public static let lengths = 4...12

  /// The digits, in ASCII.
  public let digits: String

  /// Creates a PIN; returns `nil` for a text that is not 4 to 12 ASCII digits.
  public init?(_ text: String) {
    guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
    digits = text
  }

  /// A sentence about a text that is no PIN, with the next step.
  public static let fault = faultPhrase.worded()
  public static let faultPhrase = Phrase("A PIN has 4 to 12 digits and nothing else: type it again.")

  public var description: String { "PIN(redacted)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The hash of a PIN: the string of Argon2id that libsodium makes, with one choice of memory and
/// time.
///
/// Any other memory or time is refused, so that a register cannot make a machine work for longer.
///
/// Spec: Protocol/10-household.md §3.
public struct PINHash: Hashable, Sendable {
  /// The memory for one check, in KiB.
  public static let memoryKibibytes = 19_456
  /// The passes over the memory.
  public static let passes = 2
  /// The beginning of every text: the algorithm, its version and its cost.
  static let beginning = "$argon2id$v=19$m=\(memoryKibibytes),t=\(passes),p=1$"
  /// The number of characters of the salt (16 bytes) and of the hash (32 bytes).
  private static let (saltCharacters, hashCharacters) = (22, 43)

  public let text: String

  /// Creates a hash from its text; returns `nil` for a text of another form.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.beginning) else { return nil }
    let parts = text.utf8.dropFirst(Self.beginning.utf8.count)
      .split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [Self.saltCharacters, Self.hashCharacters],
      parts.joined().allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") })
    else { return nil }
    self.text = text
  }
}

/// The wrong PINs that were given for a child since the last right one, and how long the next one
/// has to wait.
///
/// The wait goes by the boot clock. After a restart of the machine, it begins anew with the boot.
///
/// Spec: Protocol/10-household.md §3.
public struct WrongPINs: Hashable, Sendable {
  /// The number of wrong PINs that cause no wait.
  static let free = 4
  /// The first wait in milliseconds; each further wrong PIN doubles it.
  static let firstMilliseconds: Int64 = 60_000
  static let longestMilliseconds: Int64 = 900_000
  static let most = 64

  /// 1 to 64.
  public var count: Int
  public var bootID: String
  public var last: BootInstant

  public init(count: Int, bootID: String, last: BootInstant) {
    self.count = min(max(1, count), Self.most)
    (self.bootID, self.last) = (bootID, last)
  }

  /// Returns the wrong PINs with one more, given at an instant of a boot.
  public static func after(_ before: WrongPINs?, in boot: String, at now: BootInstant) -> WrongPINs {
    WrongPINs(count: (before?.count ?? 0) + 1, bootID: boot, last: now)
  }

  /// Returns whether parents are notified: the next PIN has to wait, and the last was in `boot`.
  public func areMany(in boot: String) -> Bool { count > Self.free && bootID == boot }

  /// Returns the milliseconds until the next PIN is accepted, from an instant of a boot.
  public func wait(in boot: String, at now: BootInstant) -> Int64 {
    guard count > Self.free else { return 0 }
    let doublings = count - Self.free - 1
    let whole =
      doublings >= 4 ? Self.longestMilliseconds : min(Self.longestMilliseconds, Self.firstMilliseconds << doublings)
    let begins = boot == bootID ? last : BootInstant(milliseconds: 0)
    return min(whole, max(0, whole - (now - begins)))
  }
}

/// The child who is there in an account that several children share, as stated with a PIN.
///
/// Spec: Protocol/10-household.md §3.
public struct PresentChild: Hashable, Sendable {
  /// The most log-in sessions with which it ends.
  public static let mostSessions = 32

  public var account: UInt32
  /// The child; `nil` if a person has stated that no child is there.
  public var child: ChildID?
  /// The boot in which it was stated, and with which it ends.
  public var bootID: String
  /// When it was stated; 0 if it follows from something else, so that the next one need not wait.
  public var since: BootInstant
  /// When it began; use before it does not count for this child.
  public var changedAt: BootInstant
  /// The IDs of the account's log-in sessions then, without spaces; it ends when one of them ends.
  public var sessions: [String]

  public init(
    account: UInt32, child: ChildID?, bootID: String, since: BootInstant, changedAt: BootInstant? = nil,
    sessions: [String] = []
  ) {
    (self.account, self.child, self.bootID) = (account, child, bootID)
    (self.since, self.changedAt) = (since, changedAt ?? since)
    self.sessions = Array(sessions.prefix(Self.mostSessions))
  }

  /// Returns whether it has ended, by the boot and the log-in sessions that the account has now.
  public func hasEnded(boot: String, sessions present: Set<String>) -> Bool {
    bootID != boot || !present.isSuperset(of: sessions)
  }
}

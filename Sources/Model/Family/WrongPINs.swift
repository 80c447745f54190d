/// The wrong PINs that were given for a child since the last right one, and how long the next one
/// has to wait.
///
/// The wait goes by the boot clock. After a restart of the machine, it begins anew with the boot.
///
/// Spec: Protocol/10-household.md §3.
public struct WrongPINs: Hashable, Sendable {
  /// The wrong PINs that are followed by no wait.
  static let free = 4
  /// The wait after the first one that is followed by any, in milliseconds; each further one
  /// doubles it.
  static let firstMilliseconds: Int64 = 60_000
  static let longestMilliseconds: Int64 = 900_000
  /// The most that are counted.
  static let most = 64

  /// 1 to 64.
  public var count: Int
  /// The boot of the last one.
  public var bootID: String
  public var last: BootInstant

  public init(count: Int, bootID: String, last: BootInstant) {
    self.count = min(max(1, count), Self.most)
    self.bootID = bootID
    self.last = last
  }

  /// Returns the wrong PINs with one more, given at an instant of a boot.
  public static func after(_ before: WrongPINs?, in boot: String, at now: BootInstant) -> WrongPINs {
    WrongPINs(count: (before?.count ?? 0) + 1, bootID: boot, last: now)
  }

  /// Returns whether a parent is told of them: there are so many in a row that the next one waits,
  /// and the last one was given in the boot.
  public func areMany(in boot: String) -> Bool { count > Self.free && bootID == boot }

  /// Returns for how many milliseconds no PIN is taken at an instant of a boot.
  public func wait(in boot: String, at now: BootInstant) -> Int64 {
    guard count > Self.free else { return 0 }
    let doublings = count - Self.free - 1
    let whole =
      doublings >= 4 ? Self.longestMilliseconds : min(Self.longestMilliseconds, Self.firstMilliseconds << doublings)
    let begins = boot == bootID ? last : BootInstant(milliseconds: 0)
    return min(whole, max(0, whole - (now - begins)))
  }
}

import Glibc
import LatchkeySystem

/// The user IDs that accounts may use in user namespaces: those of /etc/subuid.
///
/// A program that a child starts under such an ID belongs to the child.
///
/// Spec: Protocol/13-agent.md §9.
struct SubordinateUsers {
  /// The largest file that is read, in bytes.
  private static let largestFile = 1 << 20
  private static let mostRanges = 4_096

  private let path: String
  private var mark: FileMark?
  private var accounts: Set<UInt32> = []
  private var ranges: [(ids: ClosedRange<UInt32>, account: UInt32)] = []

  init(path: String = "/etc/subuid") { self.path = path }

  /// Reads the ranges of these accounts if the accounts or the file have changed.
  mutating func load(_ wanted: Set<UInt32>) {
    let present = ProcFile.status(path).map(FileMark.init)
    guard present != mark || wanted != accounts else { return }
    (mark, accounts, ranges) = (present, wanted, [])
    guard present != nil, !wanted.isEmpty, let bytes = ProcFile.read(path, most: Self.largestFile) else { return }
    var owners: [String: UInt32] = [:]
    for account in wanted {
      owners[String(account)] = account
      if let name = getpwuid(account)?.pointee.pw_name { owners[String(cString: name)] = account }
    }
    for line in bytes.split(separator: 0x0A) where ranges.count < Self.mostRanges {
      // NAME:FIRST:COUNT
      let fields = line.split(separator: 0x3A).map { String(decoding: $0, as: UTF8.self) }
      guard fields.count == 3, let account = owners[fields[0]], let first = UInt32(fields[1]),
        let count = UInt32(fields[2]), first > 0, count > 0, count - 1 <= .max - first
      else { continue }
      ranges.append((first...(first + (count - 1)), account))
    }
  }

  /// Returns the account that a user ID is subordinate to; `nil` if it is in none of the ranges.
  func account(of user: UInt32) -> UInt32? { ranges.first { $0.ids.contains(user) }?.account }
}

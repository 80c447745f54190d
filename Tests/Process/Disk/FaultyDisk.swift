import Foundation
import Glibc

/// A disk that a test makes faulty and whose calls it counts, by a library that is loaded into the
/// node.
///
/// See Tests/DiskFault.
struct FaultyDisk: Sendable {
  private let orders: String
  let counter: String

  init(_ lab: ProcessLab) {
    orders = lab.newPath()
    counter = lab.newPath()
  }

  /// The environment variables that put a node on this disk.
  var variables: [String: String] {
    ["LD_PRELOAD": Self.library, "LATCHKEY_DISK_FAULT": orders, "LATCHKEY_DISK_COUNT": counter]
  }

  /// Sets the faults from now on, such as "sync 5".
  func order(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: orders), options: .atomic)
  }

  /// Ends all faults.
  func heal() { unlink(orders) }

  /// Syncs of the database's files that have begun since the node was started.
  var syncs: Int { count(0) }

  /// Writes to the database's files since the node was started.
  var writes: Int { count(1) }

  private func count(_ place: Int) -> Int {
    guard let data = FileManager.default.contents(atPath: counter), data.count >= 16 else { return 0 }
    return data.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self)) }
  }

  private static let library = BuiltProgram.path(of: "libLatchkeyDiskFault.so")
}

/// How a database shares a disk: how long its log grows, and how much room a file holds in reserve.
///
/// Spec: Protocol/05-delivery.md §6.
struct DiskPlan: Hashable, Sendable {
  /// Bytes from which the log is written back into the database: a sixteenth of the disk, 256 KiB to 16 MB.
  ///
  /// The upper bound is for speed: a busy queue touches the same pages again and again.
  let log: Int64
  /// Bytes of the reserve file: what a whole log adds to the database when it is written back, and a quarter more for the
  /// transactions that note what was delivered.
  let reserve: Int64

  /// Bytes of a page of the database.
  static let page: Int64 = 4_096

  /// Creates the plan for a disk.
  ///
  /// - Parameter total: the size of the disk in bytes; `nil` if it is not known.
  init(total: Int64?) {
    let share = min(max((total ?? .max) / 16, 256 << 10), 4_000 * Self.page)
    log = share / Self.page * Self.page
    reserve = log + max(log / 4, 128 << 10)
  }

  /// Pages of the log from which it is written back.
  var logPages: Int64 { log / Self.page }

  /// Bytes of a trial write: a disk that has room for no more than one message is still full.
  var trial: Int64 { min(256 << 10, reserve / 4) }
}

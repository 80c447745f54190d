/// The use of a disk by the database: how long its log grows, and how much space is held in
/// reserve.
///
/// Spec: Protocol/05-delivery.md §6.
struct DiskPlan: Hashable, Sendable {
  /// The size from which the log is written back into the database: a sixteenth of the disk, 256
  /// KiB to 16 MB.
  ///
  /// The upper bound is for speed, since a busy queue changes the same pages repeatedly.
  let log: Int64
  /// The size of the reserve file in bytes: what a complete log adds to the database when it is
  /// written back, and a quarter more for the transactions that record deliveries.
  let reserve: Int64

  /// The size of a database page in bytes.
  static let page: Int64 = 4_096

  /// Creates the plan for a disk with a size of `total` bytes; `nil` if the size is unknown.
  init(total: Int64?) {
    let share = min(max((total ?? .max) / 16, 256 << 10), 4_000 * Self.page)
    log = share / Self.page * Self.page
    reserve = log + max(log / 4, 128 << 10)
  }

  /// The number of log pages from which the log is written back.
  var logPages: Int64 { log / Self.page }

  /// The size of a trial write in bytes.
  ///
  /// A disk that has space for no more than one message is still full.
  var trial: Int64 { min(256 << 10, reserve / 4) }
}

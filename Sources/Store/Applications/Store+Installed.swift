import Foundation
import GRDB
import LatchkeyModel

/// What recognizes the applications that this machine, a child's, has found on itself. No parent is
/// told of it.
///
/// Spec: Protocol/10-household.md §5.
extension Store {
  /// Keeps the applications that this machine has found on itself, and what recognizes them here.
  ///
  /// - Parameters:
  ///   - list: The applications.
  ///   - matchers: What recognizes them.
  ///   - wall: The time in Unix milliseconds.
  /// - Returns: The number of the list that holds now, and the changed streams.
  /// - Throws: The database's error.
  package func setInstalled(
    _ list: EntryList<InstalledApp>, matchers: [AppID: InstalledMatchers] = [:], at wall: Int64
  ) async throws(StoreError) -> (number: UInt64, changes: [OutboxChange]) {
    try await commits.commit(.upkeep) { [own, coding, keys] database in
      try database.save(matchers)
      return try Inventories(database, own: own, coding: coding, keys: keys, at: wall).set(list)
    }
  }

  /// Returns what recognizes the applications that this machine has found on itself.
  public func installedMatchers() async throws(StoreError) -> [AppID: InstalledMatchers] {
    try await read { database in try database.installedMatchers() }
  }
}

extension Database {
  /// Keeps what recognizes applications, and leaves the disk alone if that is the same as before.
  fileprivate func save(_ matchers: [AppID: InstalledMatchers]) throws {
    guard try installedMatchers() != matchers else { return }
    try run("DELETE FROM installed_matcher")
    for (app, installed) in matchers {
      let lines = installed.matchers.map(\.text).joined(separator: "\n")
      try run("INSERT INTO installed_matcher VALUES (?, ?, ?)", [app.text, lines, installed.isOwn])
    }
  }

  fileprivate func installedMatchers() throws -> [AppID: InstalledMatchers] {
    var found: [AppID: InstalledMatchers] = [:]
    for row in try rows("SELECT * FROM installed_matcher") {
      let (text, lines): (String, String) = (row["app_id"], row["matchers"])
      guard let app = AppID(text) else { continue }
      let matchers = lines.split(separator: "\n").compactMap { AppMatcher(text: $0) }
      found[app] = InstalledMatchers(matchers, isOwn: row["is_own"])
    }
    return found
  }
}

import GRDB
import LatchkeyModel

/// What this machine, a child's, remembers of the programs in its accounts' own folders.
///
/// Spec: Protocol/11-rules.md §5.
extension Store {
  package func knownPrograms() async throws(StoreError) -> KnownPrograms {
    try await read { database in try database.knownPrograms() }
  }

  /// Changes what is remembered in one transaction, and leaves the disk alone if that changes
  /// nothing.
  ///
  /// - Parameter change: Makes the change, from what is remembered at that moment.
  /// - Returns: What `change` returns.
  /// - Throws: The database's error.
  package func remember<Value: Sendable>(
    _ change: @escaping @Sendable (inout KnownPrograms) -> Value
  ) async throws(StoreError) -> Value {
    try await commits.commit(.upkeep) { database in
      let before = try database.knownPrograms()
      var after = before
      let value = change(&after)
      if after.programs != before.programs { try database.save(after.programs) }
      if after.names != before.names { try database.save(after.names) }
      return value
    }
  }
}

extension Database {
  fileprivate func knownPrograms() throws -> KnownPrograms {
    var known = KnownPrograms()
    for row in try rows("SELECT * FROM known_program ORDER BY number") {
      guard let matcher = AppMatcher(text: row["matcher"] as String) else { continue }
      let (app, file): (String?, String) = (row["app_id"], row["file"])
      known.programs.append(
        KnownPrograms.Program(matcher, as: app.flatMap { AppID($0) }, at: file.isEmpty ? nil : file))
    }
    for row in try rows("SELECT * FROM known_name") {
      guard let app = AppID(row["app_id"] as String) else { continue }
      known.names[app] = row["name"]
    }
    return known
  }

  fileprivate func save(_ programs: [KnownPrograms.Program]) throws {
    try run("DELETE FROM known_program")
    for program in programs {
      try run(
        "INSERT OR IGNORE INTO known_program (matcher, file, app_id) VALUES (?, ?, ?)",
        [program.matcher.text, program.file ?? "", program.app?.text])
    }
  }

  fileprivate func save(_ names: [AppID: String]) throws {
    try run("DELETE FROM known_name")
    for (app, name) in names { try run("INSERT INTO known_name VALUES (?, ?)", [app.text, name]) }
  }
}

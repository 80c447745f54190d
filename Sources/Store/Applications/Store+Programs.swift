import Foundation
import GRDB
import LatchkeyModel

/// The matchers of the applications that this machine, a child's, has found on itself. It is not
/// reported to parents. Spec: Protocol/10-household.md §5.
extension Store {
  /// Keeps the applications that this machine has found on itself, with their matchers, and returns
  /// the number of the present list, and the changed streams.
  package func setInstalled(
    _ list: EntryList<InstalledApp>, matchers: [AppID: InstalledMatchers] = [:], at wall: Int64
  ) async throws(StoreError) -> (number: UInt64, changes: [OutboxChange]) {
    try await commits.commit(.upkeep) { database in
      try database.save(matchers)
      return try Inventories(database: database, store: self, wall: wall).set(list)
    }
  }

  public func installedMatchers() async throws(StoreError) -> [AppID: InstalledMatchers] {
    try await read { database in try database.installedMatchers() }
  }
}

extension Database {
  /// Keeps the matchers of applications; writes nothing if they have not changed.
  fileprivate func save(_ matchers: [AppID: InstalledMatchers]) throws {
    guard try installedMatchers() != matchers else { return }
    try run("DELETE FROM installed_matcher")
    for (app, installed) in matchers {
      let lines = installed.matchers.map(\.text).joined(separator: "\n")
      try run("INSERT INTO installed_matcher VALUES (?, ?, ?)", [app.text, lines, installed.isOwn])
    }
  }

  fileprivate func installedMatchers() throws -> [AppID: InstalledMatchers] {
    let found = try rows("SELECT * FROM installed_matcher").compactMap { row in
      AppID(row["app_id"] as String).map { app in
        let matchers = (row["matchers"] as String).split(separator: "\n").compactMap { AppMatcher(text: $0) }
        return (app, InstalledMatchers(matchers, isOwn: row["is_own"]))
      }
    }
    return Dictionary(found) { $1 }
  }

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

/// The memory of this machine, a child's, of programs in its accounts' own folders. Spec:
/// Protocol/11-rules.md §5.
extension Store {
  package func knownPrograms() async throws(StoreError) -> KnownPrograms {
    try await read { database in try database.knownPrograms() }
  }

  /// Changes the stored values in one transaction; writes nothing if they have not changed.
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

/// The programs that this machine, a child's, refused lately because no parent has listed them.
/// Spec: Protocol/11-rules.md §5.
extension Store {
  /// Keeps a program that was refused, in place of an earlier refusal, and deletes the refusals of
  /// its account beyond the newest 32.
  package func keep(refused program: RefusedProgram) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      try database.run(
        "INSERT OR REPLACE INTO refused_program (account, line, entry) VALUES (?, ?, ?)",
        [Int64(program.account), program.lines[0], program.text])
      try database.run(
        """
        DELETE FROM refused_program WHERE account = ? AND number NOT IN (
          SELECT number FROM refused_program WHERE account = ? ORDER BY number DESC LIMIT \(RefusedProgram.most)
        )
        """, [Int64(program.account), Int64(program.account)])
    }
  }

  /// Returns the programs that were refused, the newest refusal first.
  package func refusedPrograms() async throws(StoreError) -> [RefusedProgram] {
    try await read { database in
      try database.rows("SELECT entry FROM refused_program ORDER BY number DESC").compactMap {
        RefusedProgram(text: $0["entry"])
      }
    }
  }

  /// Deletes refusals, unless a program was refused again in the meantime.
  package func forget(refused programs: [RefusedProgram]) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for program in programs {
        try database.run("DELETE FROM refused_program WHERE line = ? AND entry = ?", [program.lines[0], program.text])
      }
    }
  }
}

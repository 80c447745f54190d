import GRDB
import LatchkeyModel

/// The programs that this machine, a child's, refused lately because no parent has listed them.
///
/// Spec: Protocol/11-rules.md §5.
extension Store {
  /// Keeps a program that was refused, in place of an earlier refusal, and forgets those of its
  /// account beyond the newest 32.
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

  /// Forgets refusals, unless a program was refused again meanwhile.
  package func forget(refused programs: [RefusedProgram]) async throws(StoreError) {
    try await commits.commit(.upkeep) { database in
      for program in programs {
        try database.run(
          "DELETE FROM refused_program WHERE line = ? AND entry = ?", [program.lines[0], program.text])
      }
    }
  }
}

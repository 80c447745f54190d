/// What is shown again when a command is taken back, removed rules that an older command does not bring back, and how long
/// items have waited by a clock that does not jump. Frozen.
enum Migration005 {
  static let name = "005-taken-back"

  static let sql = """
    -- What was shown of the command's thing before it was given: a protobuf State; empty for nothing; null when not known.
    ALTER TABLE command ADD COLUMN previous BLOB;
    ALTER TABLE command ADD COLUMN previous_enforcement TEXT;  -- what the child had reported of it; null until it had

    -- On a child: applications whose rules were removed, with the removal that holds.
    CREATE TABLE removed_app (
      app_id TEXT PRIMARY KEY,
      modified_wall INTEGER NOT NULL,
      modified_counter INTEGER NOT NULL,
      modified_author BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX removed_app_by_age ON removed_app (modified_wall);

    -- What a restart queued again has numbers up to this one.
    ALTER TABLE outbox_stream ADD COLUMN restart_bound INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE outbox_item ADD COLUMN accepted_age INTEGER;   -- reading of the age clock; null from before
    """
}

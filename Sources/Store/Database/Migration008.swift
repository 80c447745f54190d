/// Records of use in the order in which they happened. Frozen.
///
/// Their IDs are spread like hashes: in a table kept in the order of IDs each record that comes writes a page of its own, once
/// the history has outgrown the cache. A record's start never changes, so that the ID beside it tells a record as well.
enum Migration008 {
  static let name = "008-usage-in-order"

  static let sql = """
    CREATE TABLE usage_in_order (
      record_id BLOB NOT NULL,              -- 16 bytes
      device_id BLOB NOT NULL,
      app_id TEXT NOT NULL,
      display_name TEXT NOT NULL,
      session_start INTEGER NOT NULL,       -- Unix milliseconds
      session_end INTEGER NOT NULL,         -- Unix milliseconds
      zone TEXT NOT NULL,
      active INTEGER NOT NULL,              -- milliseconds
      category TEXT NOT NULL,
      rate INTEGER NOT NULL,                -- milli-points per minute
      earned INTEGER NOT NULL,              -- milli-points
      evidence TEXT NOT NULL,
      sessions INTEGER NOT NULL DEFAULT 1   -- more than 1 in a total
    ) STRICT;
    INSERT INTO usage_in_order SELECT * FROM usage_record ORDER BY device_id, session_start;
    DROP TABLE usage_record;
    ALTER TABLE usage_in_order RENAME TO usage_record;
    CREATE UNIQUE INDEX usage_by_start ON usage_record (device_id, session_start, record_id);
    """
}

/// Sessions that several programs may share, and what cannot be true of a record. Frozen.
///
/// The IDs of records are random: a number and a salt that the database kept came back with a backup of it.
enum Migration010 {
  static let name = "010-programs"

  static let sql = """
    DROP TABLE usage_sequence;

    -- The programs of open sessions that have not been seen to end.
    CREATE TABLE open_session_process (
      record_id BLOB NOT NULL,
      process_id INTEGER NOT NULL,
      process_start_time INTEGER NOT NULL,  -- field 22 of /proc/PID/stat
      PRIMARY KEY (record_id, process_id, process_start_time)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO open_session_process SELECT record_id, process_id, process_start_time FROM open_session;
    ALTER TABLE open_session DROP COLUMN process_id;
    ALTER TABLE open_session DROP COLUMN process_start_time;

    ALTER TABLE usage_record ADD COLUMN doubt TEXT;  -- why it cannot be true, such as future; null if it can
    """
}

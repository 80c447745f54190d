import GRDB

/// The first layout of the database. Frozen: later changes are migrations of their own.
///
/// Times named `…_at` are Unix milliseconds; `…_boot` are CLOCK_BOOTTIME milliseconds of the boot named beside them.
/// Epochs are random 64-bit numbers kept as the signed integer of the same bits.
enum Migration001 {
  static let name = "001-initial"

  static let sql = """
    CREATE TABLE peer (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      device_id BLOB NOT NULL UNIQUE,       -- 20 bytes
      name TEXT NOT NULL,                   -- at most 64 bytes
      role TEXT NOT NULL,
      child_name TEXT,
      identity_key BLOB NOT NULL,           -- 32 bytes
      link_key BLOB NOT NULL UNIQUE,        -- 32 bytes
      pairwise_key BLOB NOT NULL,           -- 32 bytes; zeros before the first pairing is complete and once removed
      state INTEGER NOT NULL,               -- 1 never active yet, 2 active, 3 removed but not told, 4 removed
      pending_key BLOB,                     -- 32 bytes while a pairing waits for its other half; then it is pairwise_key
      pending_invitation TEXT,              -- the code it came with, on the inviter
      pending_boot_id TEXT,
      pending_since_boot INTEGER,
      paired_at INTEGER NOT NULL,
      last_seen_at INTEGER,
      last_synced_at INTEGER,
      last_address TEXT                     -- host:port of the last authenticated session that we dialled
    ) STRICT;

    CREATE TABLE outbox_stream (
      peer INTEGER NOT NULL REFERENCES peer(number),
      class INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      last INTEGER NOT NULL,                -- the last number given out
      stored_through INTEGER NOT NULL,      -- reported stored by the peer
      waiting_items INTEGER NOT NULL,
      waiting_bytes INTEGER NOT NULL,
      PRIMARY KEY (peer, class)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE outbox_item (
      peer INTEGER NOT NULL,
      class INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      kind INTEGER NOT NULL,                -- 0 for a place that holds nothing any more
      item_id BLOB NOT NULL,                -- 16 bytes, empty for kind 0
      body BLOB NOT NULL,                   -- at most 32 KiB
      accepted_at INTEGER NOT NULL,
      PRIMARY KEY (peer, class, seq)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE inbox_stream (
      peer INTEGER NOT NULL REFERENCES peer(number),
      class INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      watermark INTEGER NOT NULL,           -- everything up to here is in force
      PRIMARY KEY (peer, class)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE command (
      command_id BLOB PRIMARY KEY,          -- 16 bytes, UUID version 7: later ones sort later
      peer INTEGER NOT NULL REFERENCES peer(number),
      kind TEXT NOT NULL,
      app_id TEXT,
      body BLOB NOT NULL,                   -- the protobuf message that travels
      created_at INTEGER NOT NULL,
      status TEXT NOT NULL,
      status_at INTEGER NOT NULL,
      reason TEXT,
      state BLOB,                           -- the protobuf message of what the child reported to be in force
      seq INTEGER NOT NULL                  -- its number in the command stream, for cancelling
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX command_by_peer ON command (peer, command_id);
    CREATE INDEX command_by_app ON command (peer, app_id, command_id) WHERE app_id IS NOT NULL;

    CREATE TABLE applied_command (
      command_id BLOB PRIMARY KEY,
      receipt BLOB NOT NULL,                -- the protobuf message that was sent back
      applied_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE app (
      device_id BLOB NOT NULL,              -- whose machine the rules are for
      app_id TEXT NOT NULL,
      display_name TEXT NOT NULL,
      category TEXT NOT NULL,
      rate INTEGER NOT NULL,                -- milli-points per minute
      is_enabled INTEGER NOT NULL,
      is_blocked INTEGER NOT NULL,
      daily_limit_minutes INTEGER,
      modified_wall INTEGER NOT NULL,
      modified_counter INTEGER NOT NULL,
      modified_author BLOB NOT NULL,
      matchers BLOB NOT NULL,               -- a protobuf MatcherList
      enforcement TEXT,                     -- what the child reported; null until it has
      PRIMARY KEY (device_id, app_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE family_settings (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      body BLOB NOT NULL,                   -- a protobuf FamilySettings
      version INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE hybrid_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      wall INTEGER NOT NULL,
      counter INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE usage_record (
      record_id BLOB PRIMARY KEY,           -- 16 bytes
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
      evidence TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usage_by_start ON usage_record (device_id, session_start);

    -- The longest session of each device, which bounds how far before a range a session that reaches into it can begin.
    CREATE TABLE usage_longest (
      device_id BLOB PRIMARY KEY,
      milliseconds INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE open_session (
      record_id BLOB PRIMARY KEY,
      app_id TEXT NOT NULL,
      display_name TEXT NOT NULL,
      process_id INTEGER NOT NULL,
      process_start_time INTEGER NOT NULL,  -- field 22 of /proc/PID/stat
      boot_id TEXT NOT NULL,
      started_boot INTEGER NOT NULL,
      last_seen_boot INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      zone TEXT NOT NULL,
      category TEXT NOT NULL,
      rate INTEGER NOT NULL,                -- milli-points per minute
      evidence TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE usage_sequence (
      boot_id TEXT PRIMARY KEY,
      last INTEGER NOT NULL,
      salt BLOB NOT NULL                    -- 8 random bytes: tells this database's numbers from an earlier one's
    ) STRICT, WITHOUT ROWID;

    -- What earlier sessions of a learning application left over below one milli-point, on each family day.
    CREATE TABLE points_remainder (
      app_id TEXT NOT NULL,
      day TEXT NOT NULL,                    -- such as 2026-11-21
      parts INTEGER NOT NULL,               -- 0 to 3,599,999 parts of a milli-point
      PRIMARY KEY (app_id, day)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE received_message (
      command_id BLOB PRIMARY KEY,
      author BLOB NOT NULL,
      text TEXT NOT NULL,                   -- at most 4,096 bytes
      received_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      author BLOB NOT NULL,
      action TEXT NOT NULL,
      target TEXT NOT NULL,
      old TEXT,
      new TEXT,
      at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE invitation (
      pairing_id TEXT PRIMARY KEY,
      discriminator INTEGER NOT NULL,       -- 0 to 1023
      secret BLOB NOT NULL,                 -- 16 bytes; 16 zero bytes once closed
      minutes INTEGER NOT NULL,
      child_name TEXT,
      accepts_without_asking INTEGER NOT NULL,
      boot_id TEXT NOT NULL,
      opened_boot INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      outcome TEXT                          -- null while open
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE setting (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}

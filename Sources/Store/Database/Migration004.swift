/// What bounds delivery: commands that replace each other or run out, a clock for their age, totals, counts of what was not
/// delivered, and what tells a restored machine's numbers from another past's. Frozen.
enum Migration004 {
  static let name = "004-delivery"

  static let sql = """
    ALTER TABLE command ADD COLUMN supersede_key TEXT;      -- desired state of this thing; null for a one-shot
    ALTER TABLE command ADD COLUMN expires_after INTEGER;   -- milliseconds of age; null for never
    ALTER TABLE command ADD COLUMN expires_age INTEGER;     -- reading of the age clock at which it runs out
    UPDATE command SET supersede_key = 'app:' || app_id WHERE kind IN ('setApp', 'removeApp');
    UPDATE command SET supersede_key = 'family' WHERE kind = 'setFamilySettings';
    CREATE INDEX command_by_key ON command (peer, supersede_key) WHERE status = 'queued' AND supersede_key IS NOT NULL;
    CREATE INDEX command_by_expiry ON command (expires_age) WHERE status = 'queued' AND expires_age IS NOT NULL;

    -- Time that this machine has run or slept since the database began: CLOCK_BOOTTIME, carried over from boot to boot.
    CREATE TABLE age_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      boot_id TEXT NOT NULL,
      base INTEGER NOT NULL,                -- milliseconds; the reading at this boot's start
      last_boot INTEGER NOT NULL            -- CLOCK_BOOTTIME milliseconds when it was last noted
    ) STRICT;

    -- A number that holds nothing any more has no row: what is missing between two rows is a skip.
    DELETE FROM outbox_item WHERE kind = 0;
    UPDATE outbox_stream SET
      waiting_items = (SELECT COUNT(*) FROM outbox_item i WHERE i.peer = outbox_stream.peer AND i.class = outbox_stream.class),
      waiting_bytes = (SELECT coalesce(SUM(length(body) + length(item_id) + 16), 0) FROM outbox_item i
                       WHERE i.peer = outbox_stream.peer AND i.class = outbox_stream.class);
    ALTER TABLE outbox_item ADD COLUMN level INTEGER NOT NULL DEFAULT 0;  -- usage: 0 a session, 1 an hour, 2 a day, 3 a loss
    ALTER TABLE outbox_stream ADD COLUMN stored_at INTEGER;               -- Unix milliseconds of the last `stored`
    ALTER TABLE outbox_stream ADD COLUMN sent_bound INTEGER NOT NULL DEFAULT 0;  -- usage: nothing beyond it was ever sent
    -- The last item reported stored that was no skip: what a restored machine's peer has to hold as well.
    ALTER TABLE outbox_stream ADD COLUMN stored_item INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE outbox_stream ADD COLUMN stored_item_id BLOB NOT NULL DEFAULT x'';
    -- The last item in force that was no skip.
    ALTER TABLE inbox_stream ADD COLUMN item INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE inbox_stream ADD COLUMN item_id BLOB NOT NULL DEFAULT x'';

    -- What left a queue without being delivered.
    CREATE TABLE delivery_tally (
      peer INTEGER NOT NULL,
      class INTEGER NOT NULL,
      fate TEXT NOT NULL,                   -- superseded, expired, cancelled, merged, dropped
      items INTEGER NOT NULL,
      last_at INTEGER NOT NULL,             -- Unix milliseconds
      PRIMARY KEY (peer, class, fate)
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE usage_record ADD COLUMN sessions INTEGER NOT NULL DEFAULT 1;  -- more than 1 in a total
    -- On a child: which of its sessions went into totals for which parent, and the totals.
    CREATE TABLE usage_merged (
      peer INTEGER NOT NULL,
      record_id BLOB NOT NULL,
      PRIMARY KEY (peer, record_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE usage_total (
      peer INTEGER NOT NULL,
      record_id BLOB NOT NULL,
      level INTEGER NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (peer, record_id)
    ) STRICT, WITHOUT ROWID;
    -- What was dropped from a usage queue, as the sender told.
    CREATE TABLE usage_loss (
      loss_id BLOB PRIMARY KEY,             -- 16 bytes
      device_id BLOB NOT NULL,              -- whose use it was
      peer INTEGER,                         -- on the child: the parent whose queue it was
      records INTEGER NOT NULL,
      sessions INTEGER NOT NULL,
      active INTEGER NOT NULL,              -- milliseconds
      earned INTEGER NOT NULL,              -- milli-points
      first_start INTEGER NOT NULL,         -- Unix milliseconds
      last_end INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Whose it was, and where its receipt was queued last; null from before.
    ALTER TABLE applied_command ADD COLUMN peer INTEGER;
    ALTER TABLE applied_command ADD COLUMN receipt_epoch INTEGER;
    ALTER TABLE applied_command ADD COLUMN receipt_seq INTEGER;
    """
}

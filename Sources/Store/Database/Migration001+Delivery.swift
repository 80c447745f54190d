/// The tables of streams, queues and commands.
extension Migration001 {
  /// Streams of items to and from each peer.
  static let delivery = """
    CREATE TABLE outbox_stream (
      peer INTEGER NOT NULL REFERENCES peer(number),
      class INTEGER NOT NULL,
      epoch INTEGER NOT NULL,               -- epoch
      last INTEGER NOT NULL,                -- sequence number given out last
      stored_through INTEGER NOT NULL,      -- sequence number: the peer has reported everything up to it stored
      waiting_items INTEGER NOT NULL,       -- count of the stream's rows in outbox_item
      waiting_bytes INTEGER NOT NULL,       -- bytes of those items, with their IDs and 16 bytes each
      stored_at INTEGER,                    -- Unix milliseconds of the last report that something is stored; null for none
      sent_bound INTEGER NOT NULL DEFAULT 0,       -- sequence number: of usage, nothing beyond it was ever sent
      -- The last item reported stored that was no skip: what the peer of a restored machine has to hold as well.
      stored_item INTEGER NOT NULL DEFAULT 0,      -- sequence number; 0 for none
      stored_item_id BLOB NOT NULL DEFAULT x'',    -- 16 bytes; empty for none
      restart_bound INTEGER NOT NULL DEFAULT 0,    -- sequence number: what a restart queued again ends there
      PRIMARY KEY (peer, class)
    ) STRICT, WITHOUT ROWID;

    -- Items that wait, in the order of their places. A number between two rows without a row of its own is a skip.
    -- An item is added and deleted once, mostly at the ends of its stream, which costs SQLite far less with an integer
    -- as the key than with three columns.
    CREATE TABLE outbox_item (
      place INTEGER PRIMARY KEY,            -- an OutboxPlace: peer, class and sequence number
      peer INTEGER NOT NULL AS (place >> 43),
      class INTEGER NOT NULL AS ((place >> 40) & 7),
      seq INTEGER NOT NULL AS (place & 1099511627775), -- sequence number
      kind INTEGER NOT NULL,                -- an ItemKind
      item_id BLOB NOT NULL,                -- 16 bytes
      body BLOB NOT NULL,                   -- at most 32,768 bytes
      accepted_at INTEGER NOT NULL,         -- Unix milliseconds
      level INTEGER NOT NULL,               -- of usage: 0 a session, 1 an hour's total, 2 a day's total, 3 a loss; else 0
      accepted_age INTEGER                  -- milliseconds; null for control items, whose age is by accepted_at
    ) STRICT;

    CREATE TABLE inbox_stream (
      peer INTEGER NOT NULL REFERENCES peer(number),
      class INTEGER NOT NULL,
      epoch INTEGER NOT NULL,               -- epoch
      watermark INTEGER NOT NULL,           -- sequence number: everything up to it is in force
      -- The last item in force that was no skip.
      item INTEGER NOT NULL,                -- sequence number; 0 for none
      item_id BLOB NOT NULL,                -- 16 bytes; empty for none
      PRIMARY KEY (peer, class)
    ) STRICT, WITHOUT ROWID;

    -- The epochs of the streams to a peer, in the order in which they followed each other, from a stream's first restart on.
    CREATE TABLE outbox_epoch (
      number INTEGER PRIMARY KEY,
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      class INTEGER NOT NULL,
      epoch INTEGER NOT NULL,               -- epoch
      UNIQUE (peer, class, epoch)
    ) STRICT;

    -- What left a queue without being delivered.
    CREATE TABLE delivery_tally (
      peer INTEGER NOT NULL,
      class INTEGER NOT NULL,
      fate TEXT NOT NULL,                   -- a word of DeliveryFate
      items INTEGER NOT NULL,               -- count
      last_at INTEGER NOT NULL,             -- Unix milliseconds
      PRIMARY KEY (peer, class, fate)
    ) STRICT, WITHOUT ROWID;

    -- Items of a peer that were passed over because they cannot be used.
    CREATE TABLE unusable_item (
      peer INTEGER PRIMARY KEY REFERENCES peer(number) ON DELETE CASCADE,
      items INTEGER NOT NULL,               -- count
      reason TEXT NOT NULL,                 -- one sentence: why the last one cannot be used
      at INTEGER NOT NULL                   -- Unix milliseconds of the last one
    ) STRICT;

    -- How many items of each peer this machine has refused, and how many of this machine's items the peer has refused.
    CREATE TABLE refusal_count (
      peer INTEGER PRIMARY KEY REFERENCES peer(number) ON DELETE CASCADE,
      here INTEGER NOT NULL,                -- count
      there INTEGER NOT NULL                -- count, as the peer says
    ) STRICT;

    -- Items of this machine that a peer has refused; the newest of each peer.
    CREATE TABLE refused_item (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      kind INTEGER NOT NULL,                -- an ItemKind
      item_id BLOB NOT NULL,                -- 16 bytes
      reason INTEGER NOT NULL,              -- a RefusalReason
      at INTEGER NOT NULL,                  -- Unix milliseconds
      UNIQUE (peer, kind, item_id)
    ) STRICT;
    """

  /// Commands that this machine has given, and those that it has answered.
  static let commands = """
    -- In the order in which they were given. A table kept in the order of the IDs would have whole commands in the inner
    -- pages of its tree, and write a command anew with each change of its status.
    CREATE TABLE command (
      command_id BLOB NOT NULL,             -- 16 bytes, UUID version 7: later ones sort later
      peer INTEGER NOT NULL REFERENCES peer(number),
      kind TEXT NOT NULL,                   -- a word of CommandKind
      body BLOB NOT NULL,                   -- a protobuf Command, as it travels
      created_at INTEGER NOT NULL,          -- Unix milliseconds
      created_age INTEGER NOT NULL,         -- milliseconds: reading when it was created
      status TEXT NOT NULL,                 -- a word of CommandStatus
      status_at INTEGER NOT NULL,           -- Unix milliseconds
      reason TEXT,                          -- one sentence of at most 1,024 bytes; null for none
      reason_phrase TEXT,                   -- the same as a Phrase in JSON; null for none
      state BLOB,                           -- a protobuf State: what the child reported to be in force; null for none
      waits_for TEXT,                       -- what a stored command waits for, by the child's word; null for nothing
      wait_phrase TEXT,                     -- the same as a Phrase in JSON; null for none
      seq INTEGER NOT NULL,                 -- sequence number in the command stream
      epoch INTEGER NOT NULL,               -- epoch in which seq counts
      expires_after INTEGER,                -- milliseconds of age; null for never
      expires_age INTEGER,                  -- milliseconds: reading at which it expires; null for never
      through TEXT,                         -- browser.label through which it was given; null for this machine
      -- With the peer, so that one peer's commands are found among the IDs without a look at each.
      UNIQUE (command_id, peer)
    ) STRICT;
    CREATE INDEX command_by_expiry ON command (expires_age) WHERE status = 'queued' AND expires_age IS NOT NULL;
    -- The edits that are not in force yet, which are looked for after each change; other commands are not in it.
    CREATE INDEX command_edit_under_way ON command (peer, created_age)
      WHERE kind = 'edit' AND status IN ('queued', 'stored');

    -- Commands that this machine has answered, and where each receipt was queued last.
    CREATE TABLE applied_command (
      command_id BLOB PRIMARY KEY,          -- 16 bytes
      receipt BLOB NOT NULL,                -- a protobuf Receipt, as it was sent back
      applied_at INTEGER NOT NULL,          -- Unix milliseconds
      peer INTEGER NOT NULL,
      receipt_epoch INTEGER NOT NULL,       -- epoch
      receipt_seq INTEGER NOT NULL          -- sequence number
    ) STRICT, WITHOUT ROWID;

    -- On a child: effects of commands that something outside the database carries out, until they have an outcome.
    CREATE TABLE pending_effect (
      command_id BLOB PRIMARY KEY,          -- 16 bytes
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      body BLOB NOT NULL,                   -- a protobuf Command
      waits_for TEXT NOT NULL,              -- 1 to 1,024 bytes
      wait_phrase TEXT,                     -- the same as a Phrase in JSON; null for none
      due_age INTEGER NOT NULL,             -- milliseconds: reading up to which there has to be an outcome
      state BLOB                            -- a protobuf State that holds already and answers then; null to fail then
    ) STRICT, WITHOUT ROWID;

    -- In the order of their arrival. Each command is executed once (applied_command), so that no ID is here twice.
    CREATE TABLE received_message (
      number INTEGER PRIMARY KEY,
      command_id BLOB NOT NULL,             -- 16 bytes
      author BLOB NOT NULL,                 -- 20 bytes
      text TEXT NOT NULL,                   -- 1 to 4,096 bytes
      received_at INTEGER NOT NULL          -- Unix milliseconds
    ) STRICT;

    -- The messages that a person at this machine has read.
    CREATE TABLE read_message (
      command_id BLOB PRIMARY KEY,          -- 16 bytes
      read_at INTEGER NOT NULL              -- Unix milliseconds
    ) STRICT, WITHOUT ROWID;
    """
}

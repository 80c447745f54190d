/// The layout of the database.
///
/// Later changes are migrations of their own once a version has been released.
///
/// Each column's comment states its unit, or the form of its content. These hold for all tables:
///
/// - A column named `peer` is a `peer.number`, and a column named `class` is the number of a `StreamClass`.
/// - Epochs and sequence numbers are unsigned 64-bit integers, kept as the signed integers with the same bits.
/// - Columns that end in `_boot` hold CLOCK_BOOTTIME of the boot that the same row names. Columns that end in `_age`
///   hold
///   readings of the age clock (see the table `age_clock`). Both are milliseconds.
/// - Words are the raw values of the model's enumerations, such as `DeviceRole`.
/// - Columns that hold a protobuf message name it; the schemas are in `Protocol/messages`.
enum Migration001 {
  static let name = "001-initial"

  static let sql = [devices, delivery, commands, rules, usage, node].joined(separator: "\n")

  /// Paired devices, their keys, and where they can be reached.
  private static let devices = """
    CREATE TABLE peer (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      device_id BLOB NOT NULL UNIQUE,       -- 20 bytes
      name TEXT NOT NULL,                   -- at most 64 bytes
      name_wall INTEGER,                    -- hybrid time at which the name was given; null for the one it was made with
      name_counter INTEGER,
      name_author BLOB,                     -- 20 bytes
      former_name TEXT,                     -- at most 64 bytes: its name before it was renamed elsewhere; null for none
      former_name_age INTEGER,              -- milliseconds: reading up to which the new name counts as news
      role TEXT NOT NULL,                   -- a word: parent or child
      child_name TEXT,                      -- whose machine it is, at most 64 bytes; null if nobody said
      identity_key BLOB NOT NULL,           -- 32 bytes
      link_key BLOB NOT NULL UNIQUE,        -- 32 bytes
      state INTEGER NOT NULL,               -- 1 pending, 2 active, 3 removed but not told, 4 removed
      paired_at INTEGER NOT NULL,           -- Unix milliseconds
      left_at INTEGER,                      -- Unix milliseconds when a parent's pairing ended; null while it lasts
      left_age INTEGER,                     -- milliseconds: reading at that moment
      connected_at INTEGER,                 -- Unix milliseconds of the pairing's first session; null for none yet
      last_seen_at INTEGER,                 -- Unix milliseconds; null for never
      last_synced_at INTEGER,               -- Unix milliseconds; null for never
      told TEXT NOT NULL DEFAULT '',        -- host:port, separated by spaces: where the peer says it can be called
      pairwise_key BLOB NOT NULL,           -- 32 bytes; zeros before the first pairing is complete and after a removal
      next_key BLOB,                        -- 32 bytes: offered to the peer and not reported stored; null for none
      previous_key BLOB,                    -- 32 bytes: replaced by the peer's offer, may still be in force there
      pending_key BLOB,                     -- 32 bytes: of a pairing that waits for its other half, then pairwise_key
      pending_invitation TEXT,              -- invitation.pairing_id that the pending pairing came with, on the inviter
      pending_boot_id TEXT,                 -- UUID of the boot in which the pairing became pending
      pending_since_boot INTEGER,           -- milliseconds
      pending_lapsed INTEGER NOT NULL DEFAULT 0,   -- 0 or 1: on a joiner, no last word came in time
      known_generation INTEGER NOT NULL DEFAULT 0, -- generation of the discovery key that the peer has
      sent_generation INTEGER,              -- generation of the discovery key on its way to it; null for none
      quarantined_at INTEGER,               -- Unix milliseconds since when two machines use its keys; null for no
      removal_sessions INTEGER NOT NULL DEFAULT 0, -- count of sessions in which a removal was sent
      removal_silences INTEGER NOT NULL DEFAULT 0, -- count of calls met with silence since then
      -- On a parent, of a child's machine: 1 once its part of the registers is queued.
      introduced INTEGER NOT NULL DEFAULT 0,
      -- The same: 1 once it has told what it holds, 2 once it is the machine of the child that it was paired for.
      assigned INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    -- Where a device has proved its key, for each network.
    CREATE TABLE address (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      network TEXT NOT NULL,                -- mark of the network, 32 hexadecimal digits; empty if it was unknown
      address TEXT NOT NULL,                -- host:port
      source TEXT NOT NULL,                 -- a word of AddressSource
      last_success_at INTEGER NOT NULL,     -- Unix milliseconds
      last_failure_at INTEGER,              -- Unix milliseconds; null for none
      failure TEXT,                         -- one sentence of at most 512 bytes; null for none
      PRIMARY KEY (peer, network, address)
    ) STRICT, WITHOUT ROWID;

    -- On a parent: the other parents that a child's machine says it is or was paired with.
    CREATE TABLE told_parent (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      device_id BLOB NOT NULL,              -- 20 bytes
      name TEXT NOT NULL,                   -- at most 64 bytes
      paired_at INTEGER NOT NULL,           -- Unix milliseconds by the child's clock
      left_at INTEGER,                      -- Unix milliseconds by the child's clock; null while they are paired
      told_at INTEGER NOT NULL,             -- Unix milliseconds by this machine's clock
      ends_age INTEGER NOT NULL,            -- milliseconds: reading up to which it counts as news
      PRIMARY KEY (peer, device_id)
    ) STRICT, WITHOUT ROWID;

    -- What this machine is called, if it was ever given another name than the one it was made with.
    CREATE TABLE own_label (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      name TEXT NOT NULL,                   -- at most 64 bytes
      name_wall INTEGER NOT NULL,           -- hybrid time at which it was given
      name_counter INTEGER NOT NULL,
      name_author BLOB NOT NULL             -- 20 bytes
    ) STRICT;

    -- One of two paired machines was set back to an earlier state: what its people must know until it is settled.
    CREATE TABLE set_back (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      cause TEXT NOT NULL,                  -- a word: lost if the peer lost what it had stored, ahead if this machine did
      evidence TEXT NOT NULL,               -- class and epoch of the streams that showed it; the same evidence is no news
      at INTEGER NOT NULL,                  -- Unix milliseconds
      newest_command BLOB,                  -- 16 bytes: the last command given to the peer before; null for none
      ends_age INTEGER NOT NULL,            -- milliseconds: reading up to which a child's machine shows it
      is_explained INTEGER NOT NULL,        -- 1: a pairing or a person has settled it
      asked TEXT NOT NULL,                  -- hexadecimal IDs of the last requests for a report that this machine made by itself
      PRIMARY KEY (peer, cause)
    ) STRICT, WITHOUT ROWID;

    -- Pairing codes that this machine has shown.
    CREATE TABLE invitation (
      pairing_id TEXT PRIMARY KEY,          -- UUID
      discriminator INTEGER NOT NULL,       -- 0 to 1,023
      secret BLOB NOT NULL,                 -- 16 bytes; zeros once the code is closed
      typed_secret BLOB NOT NULL,           -- 6 bytes, values of 0 to 31; empty once the code is closed
      minutes INTEGER NOT NULL,             -- minutes that the code is open
      child_name TEXT,                      -- at most 64 bytes; null if nobody said
      accepts_without_asking INTEGER NOT NULL,     -- 0 or 1
      generation INTEGER,                   -- generation of the newest discovery key when the code was opened
      boot_id TEXT NOT NULL,                -- UUID
      opened_boot INTEGER NOT NULL,         -- milliseconds
      failures INTEGER NOT NULL,            -- count of wrong guesses
      outcome TEXT                          -- a word of PairingOutcome; null while the code is open
    ) STRICT, WITHOUT ROWID;

    -- On a joiner: runs of a typed code in which nobody proved to be the inviter.
    CREATE TABLE pairing_run (
      discriminator INTEGER PRIMARY KEY,    -- 0 to 1,023
      runs INTEGER NOT NULL,                -- count
      boot_id TEXT NOT NULL,                -- UUID
      first_boot INTEGER NOT NULL           -- milliseconds: when the first run was
    ) STRICT;

    -- On the parent that founded the household: the newest discovery key, and those that other machines may still hold.
    CREATE TABLE discovery_key (
      generation INTEGER PRIMARY KEY,       -- counts from 0, the key with which the household began
      key BLOB NOT NULL                     -- 32 bytes
    ) STRICT;
    """

  /// Streams of items to and from each peer.
  private static let delivery = """
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

    -- Items that wait. A number between two rows without a row of its own is a skip.
    CREATE TABLE outbox_item (
      peer INTEGER NOT NULL,
      class INTEGER NOT NULL,
      seq INTEGER NOT NULL,                 -- sequence number
      kind INTEGER NOT NULL,                -- an ItemKind
      item_id BLOB NOT NULL,                -- 16 bytes
      body BLOB NOT NULL,                   -- at most 32,768 bytes
      accepted_at INTEGER NOT NULL,         -- Unix milliseconds
      level INTEGER NOT NULL,               -- of usage: 0 a session, 1 an hour's total, 2 a day's total, 3 a loss; else 0
      accepted_age INTEGER,                 -- milliseconds; null for control items, whose age is by accepted_at
      PRIMARY KEY (peer, class, seq)
    ) STRICT, WITHOUT ROWID;

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
  private static let commands = """
    CREATE TABLE command (
      command_id BLOB PRIMARY KEY,          -- 16 bytes, UUID version 7: later ones sort later
      peer INTEGER NOT NULL REFERENCES peer(number),
      kind TEXT NOT NULL,                   -- a word of CommandKind
      body BLOB NOT NULL,                   -- a protobuf Command, as it travels
      created_at INTEGER NOT NULL,          -- Unix milliseconds
      status TEXT NOT NULL,                 -- a word of CommandStatus
      status_at INTEGER NOT NULL,           -- Unix milliseconds
      reason TEXT,                          -- one sentence of at most 1,024 bytes; null for none
      state BLOB,                           -- a protobuf State: what the child reported to be in force; null for none
      waits_for TEXT,                       -- what a stored command waits for, by the child's word; null for nothing
      seq INTEGER NOT NULL,                 -- sequence number in the command stream
      epoch INTEGER,                        -- epoch in which seq counts; null if a restart left the command out
      supersede_key TEXT,                   -- names the thing whose desired state it sets; null for a one-shot
      expires_after INTEGER,                -- milliseconds of age; null for never
      expires_age INTEGER,                  -- milliseconds: reading at which it expires; null for never
      -- What was shown of the command's thing before it was given, until it is answered.
      previous BLOB,                        -- a protobuf State; empty for nothing; null for a one-shot
      previous_enforcement TEXT,            -- a word of Enforcement, as the child had reported; null until it had
      replaced_by BLOB                      -- 16 bytes: the command that took its place; null for none, or once one of them is answered
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX command_by_peer ON command (peer, command_id);
    CREATE INDEX command_by_key ON command (peer, supersede_key) WHERE status = 'queued' AND supersede_key IS NOT NULL;
    CREATE INDEX command_by_expiry ON command (expires_age) WHERE status = 'queued' AND expires_age IS NOT NULL;
    CREATE INDEX command_by_replacement ON command (replaced_by) WHERE replaced_by IS NOT NULL;

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
      thing TEXT,                           -- a command's supersede_key; null for what happens once
      body BLOB NOT NULL,                   -- a protobuf Command
      waits_for TEXT NOT NULL,              -- 1 to 1,024 bytes
      due_age INTEGER NOT NULL              -- milliseconds: reading up to which there has to be an outcome
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX pending_effect_by_thing ON pending_effect (thing) WHERE thing IS NOT NULL;

    -- Values of kinds of command that have no table of their own.
    CREATE TABLE household_value (
      device_id BLOB NOT NULL,              -- 20 bytes: the machine that the value is for
      key TEXT NOT NULL,                    -- begins with the kind's name
      body BLOB NOT NULL,                   -- as the kind encodes it
      PRIMARY KEY (device_id, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE received_message (
      command_id BLOB PRIMARY KEY,          -- 16 bytes
      author BLOB NOT NULL,                 -- 20 bytes
      text TEXT NOT NULL,                   -- 1 to 4,096 bytes
      received_at INTEGER NOT NULL          -- Unix milliseconds
    ) STRICT, WITHOUT ROWID;

    -- The messages that a person at this machine has read.
    CREATE TABLE read_message (
      command_id BLOB PRIMARY KEY,          -- 16 bytes
      read_at INTEGER NOT NULL              -- Unix milliseconds
    ) STRICT, WITHOUT ROWID;
    """

  /// What parents have set, and the accounts of children's machines.
  private static let rules = """
    -- The household's desired state: on a child's machine what is in force, on a parent's what was set there.
    CREATE TABLE register (
      zone BLOB NOT NULL,                   -- 1 family; 2 and a child's ID, 17 bytes; 3 and a device ID, 21 bytes
      key TEXT NOT NULL,                    -- 1 to 511 bytes
      value TEXT,                           -- at most 20,480 bytes; null if the register was deleted
      modified_wall INTEGER NOT NULL,       -- Unix milliseconds of a hybrid timestamp
      modified_counter INTEGER NOT NULL,    -- its counter
      modified_author BLOB NOT NULL,        -- its author, 20 bytes
      PRIMARY KEY (zone, key)
    ) STRICT, WITHOUT ROWID;

    -- On a parent: what a child's machine says that it holds and this machine has not set or has lost.
    CREATE TABLE told_register (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      zone BLOB NOT NULL,                   -- as in the table `register`; so are the others
      key TEXT NOT NULL,
      value TEXT,
      modified_wall INTEGER NOT NULL,
      modified_counter INTEGER NOT NULL,
      modified_author BLOB NOT NULL,
      PRIMARY KEY (peer, zone, key)
    ) STRICT, WITHOUT ROWID;

    -- One random number, replaced with each change of a register or of the machines that tell of theirs: with the same
    -- number, what was read before still holds. It is random, since a counter would repeat itself after a rollback.
    CREATE TABLE edition (value INTEGER NOT NULL) STRICT;
    INSERT INTO edition VALUES (random());
    CREATE TRIGGER edition_register_set AFTER INSERT ON register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_register_changed AFTER UPDATE ON register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_register_gone AFTER DELETE ON register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_told_register_set AFTER INSERT ON told_register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_told_register_changed AFTER UPDATE ON told_register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_told_register_gone AFTER DELETE ON told_register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_peer_state AFTER UPDATE OF state ON peer BEGIN UPDATE edition SET value = random(); END;

    -- Facts about children.
    CREATE TABLE fact (
      number INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of arrival
      child BLOB NOT NULL,                  -- 16 bytes
      kind TEXT NOT NULL,                   -- a word of FactKind
      identity TEXT NOT NULL,               -- at most 255 bytes, as the kind says
      text TEXT NOT NULL,                   -- 1 to 4,096 bytes
      author BLOB NOT NULL,                 -- 20 bytes: the machine that made it
      day TEXT NOT NULL,                    -- date, such as 2026-11-21: the family's day that it is about
      UNIQUE (child, kind, identity)
    ) STRICT;
    CREATE INDEX fact_by_day ON fact (child, kind, day);
    CREATE INDEX fact_by_number ON fact (child, number);

    -- The peers that hold a child's facts, to which each new one goes.
    CREATE TABLE fact_holder (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      child BLOB NOT NULL,                  -- 16 bytes
      PRIMARY KEY (peer, child)
    ) STRICT, WITHOUT ROWID;

    -- On a child's machine: what sessions left over below one milli-point, or paid in advance.
    CREATE TABLE carry (
      child BLOB NOT NULL,                  -- 16 bytes
      app_id TEXT NOT NULL,                 -- 1 to 255 bytes
      category TEXT NOT NULL,               -- a word of AppCategory: learning earns, reward costs
      day TEXT NOT NULL,                    -- date of the family's day
      parts INTEGER NOT NULL,               -- 0 to 3,599,999 parts of a milli-point
      PRIMARY KEY (child, app_id, category, day)
    ) STRICT, WITHOUT ROWID;

    -- The accounts of people on children's machines: on a child its own, on a parent those of each child's machine.
    CREATE TABLE account (
      device_id BLOB NOT NULL,              -- 20 bytes
      uid INTEGER NOT NULL,                 -- number of the account
      name TEXT NOT NULL,                   -- 1 to 64 bytes
      full_name TEXT NOT NULL,              -- at most 255 bytes
      PRIMARY KEY (device_id, uid)
    ) STRICT, WITHOUT ROWID;

    -- The applications found on children's machines: on a child its own, on a parent those of each child's machine.
    CREATE TABLE installed_part (
      device_id BLOB NOT NULL,              -- 20 bytes
      part INTEGER NOT NULL,                -- the place in the list, 0 to 7
      body BLOB NOT NULL,                   -- as the item that carries it, at most 32,768 bytes
      told_at INTEGER NOT NULL,             -- Unix milliseconds
      PRIMARY KEY (device_id, part)
    ) STRICT, WITHOUT ROWID;

    -- The last reading of the hybrid clock.
    CREATE TABLE hybrid_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      wall INTEGER NOT NULL,                -- Unix milliseconds
      counter INTEGER NOT NULL              -- counter
    ) STRICT;
    """

  /// Use of applications.
  private static let usage = """
    -- Records in the order in which they happened: their IDs are random, and in a table kept in the order of the IDs each
    -- new record would write a page of its own once the history has outgrown the cache.
    CREATE TABLE usage_record (
      record_id BLOB NOT NULL,              -- 16 bytes
      device_id BLOB NOT NULL,              -- 20 bytes
      app_id TEXT NOT NULL,                 -- 1 to 255 bytes
      display_name TEXT NOT NULL,           -- 1 to 255 bytes
      session_start INTEGER NOT NULL,       -- Unix milliseconds
      session_end INTEGER NOT NULL,         -- Unix milliseconds
      zone TEXT NOT NULL,                   -- name of a time zone, 1 to 64 bytes
      active INTEGER NOT NULL,              -- milliseconds
      category TEXT NOT NULL,               -- a word of AppCategory
      rate INTEGER NOT NULL,                -- milli-points per minute
      earned INTEGER NOT NULL,              -- milli-points
      evidence TEXT NOT NULL,               -- a word of UsageEvidence
      sessions INTEGER NOT NULL,            -- count: more than 1 in a total
      account INTEGER,                      -- number of the system's account; null if unknown
      child BLOB,                           -- 16 bytes: the child that used it; null for none
      household_start INTEGER NOT NULL,     -- Unix milliseconds: the start in household time
      doubt TEXT                            -- a word of UsageDoubt: why it cannot be true; null if it can
    ) STRICT;
    CREATE UNIQUE INDEX usage_by_start ON usage_record (device_id, session_start, record_id);
    -- A child's use by time, with everything that totals and reports need.
    CREATE INDEX usage_by_child ON usage_record (
      child, household_start, session_start, session_end, active, app_id, category, earned
    ) WHERE child IS NOT NULL;

    -- The longest session of each device, which bounds how long before a range a session that reaches into it can begin.
    CREATE TABLE usage_longest (
      device_id BLOB PRIMARY KEY,           -- 20 bytes
      milliseconds INTEGER NOT NULL         -- milliseconds
    ) STRICT, WITHOUT ROWID;

    -- What was dropped from a full usage queue, as its sender says.
    CREATE TABLE usage_loss (
      loss_id BLOB PRIMARY KEY,             -- 16 bytes
      device_id BLOB NOT NULL,              -- 20 bytes: the machine that was used
      peer INTEGER,                         -- on the child: the parent whose queue it was; null on a parent
      records INTEGER NOT NULL,             -- count
      sessions INTEGER NOT NULL,            -- count
      active INTEGER NOT NULL,              -- milliseconds
      earned INTEGER NOT NULL,              -- milli-points
      first_start INTEGER NOT NULL,         -- Unix milliseconds
      last_end INTEGER NOT NULL,            -- Unix milliseconds
      at INTEGER NOT NULL                   -- Unix milliseconds
    ) STRICT, WITHOUT ROWID;

    -- On a child: which of its sessions went into totals for which parent, and the totals.
    CREATE TABLE usage_merged (
      peer INTEGER NOT NULL,
      record_id BLOB NOT NULL,              -- 16 bytes
      PRIMARY KEY (peer, record_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE usage_total (
      peer INTEGER NOT NULL,
      record_id BLOB NOT NULL,              -- 16 bytes
      level INTEGER NOT NULL,               -- 1 an hour's total, 2 a day's total
      body BLOB NOT NULL,                   -- a protobuf UsageRecord
      PRIMARY KEY (peer, record_id)
    ) STRICT, WITHOUT ROWID;

    -- Sessions that are being recorded on this machine.
    CREATE TABLE open_session (
      record_id BLOB PRIMARY KEY,           -- 16 bytes
      app_id TEXT NOT NULL,                 -- 1 to 255 bytes
      display_name TEXT NOT NULL,           -- 1 to 255 bytes
      boot_id TEXT NOT NULL,                -- UUID
      started_boot INTEGER NOT NULL,        -- milliseconds
      last_seen_boot INTEGER NOT NULL,      -- milliseconds
      started_at INTEGER NOT NULL,          -- Unix milliseconds
      last_seen_at INTEGER NOT NULL,        -- Unix milliseconds
      zone TEXT NOT NULL,                   -- name of a time zone, 1 to 64 bytes
      category TEXT NOT NULL,               -- a word of AppCategory
      rate INTEGER NOT NULL,                -- milli-points per minute
      evidence TEXT NOT NULL,               -- a word of UsageEvidence
      account INTEGER,                      -- number of the system's account; null if unknown
      child BLOB,                           -- 16 bytes: the child that uses it; null for none
      household_start INTEGER NOT NULL,     -- Unix milliseconds: the start in household time
      closed_boot INTEGER                   -- milliseconds: when a rule closed the program; null if none has
    ) STRICT, WITHOUT ROWID;

    -- What runs on children's machines, by the word of each; on a child also the last list that it told its parents.
    CREATE TABLE running_list (
      device_id BLOB PRIMARY KEY,           -- 20 bytes
      number INTEGER NOT NULL,              -- counts the lists of that machine; the bits of an unsigned integer
      told_by BLOB NOT NULL,                -- 20 bytes: the machine that told of it
      boot_id TEXT NOT NULL,                -- UUID of this machine's boot in which it was told
      told_boot INTEGER NOT NULL,           -- milliseconds
      body BLOB NOT NULL                    -- a protobuf Running
    ) STRICT, WITHOUT ROWID;

    -- On a parent: children whose use a machine has got since it began to serve them; what is new is passed on to it.
    CREATE TABLE use_shared (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      child BLOB NOT NULL,                  -- 16 bytes
      PRIMARY KEY (peer, child)
    ) STRICT, WITHOUT ROWID;

    -- The programs of open sessions that have not been seen to end.
    CREATE TABLE open_session_process (
      record_id BLOB NOT NULL,              -- 16 bytes
      process_id INTEGER NOT NULL,          -- process ID
      process_start_time INTEGER NOT NULL,  -- clock ticks since boot, field 22 of /proc/PID/stat
      PRIMARY KEY (record_id, process_id, process_start_time)
    ) STRICT, WITHOUT ROWID;
    """

  /// The node's data about itself.
  private static let node = """
    -- Time that this machine has run or slept since the database began: CLOCK_BOOTTIME, carried over from boot to boot.
    CREATE TABLE age_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      boot_id TEXT NOT NULL,                -- UUID
      base INTEGER NOT NULL,                -- milliseconds: the reading at this boot's start
      last_boot INTEGER NOT NULL            -- milliseconds: when the clock was last noted
    ) STRICT;

    -- On a child: the household's clock. Times are Unix milliseconds.
    CREATE TABLE household_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      boot_id TEXT NOT NULL,                -- UUID of the boot of the anchor
      anchor_boot INTEGER NOT NULL,         -- milliseconds
      time INTEGER NOT NULL,                -- the time at the anchor
      day_time INTEGER NOT NULL,            -- the day time at the anchor
      last INTEGER NOT NULL,                -- the latest time that was read
      reached TEXT                          -- date: the latest family day that was reached; null for none
    ) STRICT;

    CREATE TABLE setting (
      key TEXT PRIMARY KEY,                 -- a name
      value TEXT NOT NULL                   -- text
    ) STRICT, WITHOUT ROWID;

    -- Who did what; each entry is written in the transaction of the act that it tells of.
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      author BLOB NOT NULL,                 -- 20 bytes
      action TEXT NOT NULL,                 -- a word, such as register.set
      target TEXT NOT NULL,                 -- text: what it was done to
      old TEXT,                             -- one line; null for nothing
      new TEXT,                             -- one line; null for nothing
      at INTEGER NOT NULL                   -- Unix milliseconds
    ) STRICT;
    """
}

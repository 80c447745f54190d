/// The layout of the database.
///
/// Later changes are migrations of their own once a version has been released. Each column's
/// comment states its unit, or the form of its content. These hold for all tables:
///
/// - A column named `peer` is a `peer.number`, and a column named `class` is the number of a
///   `StreamClass`.
/// - Epochs and sequence numbers are unsigned 64-bit integers, kept as the signed integers with the
///   same bits.
/// - Columns that end in `_boot` hold CLOCK_BOOTTIME of the boot that the same row names. Columns
///   that end in `_age` hold readings of the age clock (see the table `age_clock`). Both are
///   milliseconds.
/// - Words are the raw values of the model's enumerations, such as `DeviceRole`.
/// - Columns that hold a protobuf message name it; the schemas are in `Protocol/messages`.
enum Migration001 {
  static let name = "001-initial"

  static let sql = [devices, delivery, commands, rules, usage, node].joined(separator: "\n")

  /// Paired devices, their keys, and where they can be reached.
  static let devices = """
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
      heard_age INTEGER,                    -- milliseconds: reading when it was last connected, to an hour; null for never
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

  /// The node's data about itself.
  static let node = """
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

    -- On a parent: what parents are told, each once.
    CREATE TABLE parent_notice (
      number INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which they are told
      kind TEXT NOT NULL,                   -- a word of ParentNotice.Kind
      key TEXT NOT NULL UNIQUE,             -- what it tells, at most 255 bytes, so that it is told once
      child BLOB NOT NULL,                  -- 16 bytes; empty if it is about none
      device BLOB NOT NULL,                 -- 20 bytes; empty if it is about none
      detail TEXT NOT NULL,                 -- what else belongs to it, as the kind says
      at INTEGER NOT NULL,                  -- Unix milliseconds
      age INTEGER NOT NULL                  -- milliseconds: reading when it was told of
    ) STRICT;

    -- Who tells people of them, and up to where.
    CREATE TABLE notice_receiver (
      name TEXT PRIMARY KEY,                -- 1 to 64 bytes
      position INTEGER NOT NULL             -- parent_notice.number
    ) STRICT, WITHOUT ROWID;

    -- What carries them elsewhere, and what a parent allows it.
    CREATE TABLE receiver (
      name TEXT PRIMARY KEY,                -- 1 to 32 bytes
      kind TEXT NOT NULL,                   -- a word of ReceiverKind
      rights TEXT NOT NULL,                 -- words of ReceiverRight, with spaces between
      most_minutes INTEGER NOT NULL,        -- in a day
      most_milli_points INTEGER NOT NULL,   -- in a day
      token BLOB NOT NULL UNIQUE,           -- 32 bytes: SHA-256 of the token
      added_at INTEGER NOT NULL             -- Unix milliseconds
    ) STRICT, WITHOUT ROWID;

    -- What each has given today.
    CREATE TABLE receiver_use (
      name TEXT NOT NULL,                   -- receiver.name
      day TEXT NOT NULL,                    -- YYYY-MM-DD: the family's day
      minutes INTEGER NOT NULL,
      milli_points INTEGER NOT NULL,
      PRIMARY KEY (name, day)
    ) STRICT, WITHOUT ROWID;

    -- By what its last deeds, and the last edits of people, are known when they are asked for again.
    CREATE TABLE receiver_key (
      number INTEGER PRIMARY KEY,           -- in the order of the deeds
      name TEXT NOT NULL,                   -- receiver.name; empty for people
      key TEXT NOT NULL,                    -- 1 to 64 bytes
      UNIQUE (name, key)
    ) STRICT;

    -- On a parent: the browsers that were let in.
    CREATE TABLE browser (
      browser_id TEXT PRIMARY KEY,          -- 16 hexadecimal digits
      label TEXT NOT NULL UNIQUE,           -- 1 to 64 bytes
      may TEXT NOT NULL,                    -- a word of BrowserRight
      made_at INTEGER NOT NULL,             -- Unix milliseconds
      last_seen INTEGER NOT NULL,           -- Unix milliseconds
      address TEXT NOT NULL,                -- from which it asked last
      cookie BLOB NOT NULL UNIQUE           -- 32 bytes: SHA-256 of its cookie
    ) STRICT, WITHOUT ROWID;

    -- Who did what; each entry is written in the transaction of the act that it tells of.
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      author BLOB NOT NULL,                 -- 20 bytes
      action TEXT NOT NULL,                 -- a word, such as register.set
      target TEXT NOT NULL,                 -- text: what it was done to
      old TEXT,                             -- one line; null for nothing
      new TEXT,                             -- one line; null for nothing
      at INTEGER NOT NULL,                  -- Unix milliseconds
      through TEXT                          -- browser.label through which it was done; null for the author itself
    ) STRICT;
    """
}

/// The tables of rules, facts, applications and use.
extension Migration001 {
  /// The tables of registers that parents have set, and of the accounts of children's machines.
  static let rules = """
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

    -- One random number, replaced with each change of a register, of a machine, of accounts, or of who is there: with the
    -- same number, what was read before still holds. It is random, since a counter would repeat itself after a rollback.
    CREATE TABLE edition (value INTEGER NOT NULL) STRICT;
    INSERT INTO edition VALUES (random());
    CREATE TRIGGER edition_register_set AFTER INSERT ON register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_register_changed AFTER UPDATE ON register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_register_gone AFTER DELETE ON register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_told_register_set AFTER INSERT ON told_register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_told_register_changed AFTER UPDATE ON told_register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_told_register_gone AFTER DELETE ON told_register BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_peer_set AFTER INSERT ON peer BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_peer_changed AFTER UPDATE OF name, role, child_name, state, assigned ON peer
      WHEN (OLD.name, OLD.role, OLD.child_name, OLD.state, OLD.assigned)
        IS NOT (NEW.name, NEW.role, NEW.child_name, NEW.state, NEW.assigned)
      BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_peer_gone AFTER DELETE ON peer BEGIN UPDATE edition SET value = random(); END;

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

    -- The lists that children's machines give of themselves: on a child's machine its own lists and
    -- those of other machines that parents forward, on a parent's those of each child's machine.
    CREATE TABLE inventory (
      kind TEXT NOT NULL,                   -- the name of an InventoryKind
      device_id BLOB NOT NULL,              -- 20 bytes
      part INTEGER NOT NULL,                -- the place in the list, 0 to 7
      body BLOB NOT NULL,                   -- a protobuf Inventory, at most 32,768 bytes
      told_by BLOB NOT NULL,                -- 20 bytes: the machine that sent it
      boot_id TEXT NOT NULL,                -- UUID of the boot in which it came; empty for an own list
      told_boot INTEGER NOT NULL,           -- milliseconds
      told_at INTEGER NOT NULL,             -- Unix milliseconds
      PRIMARY KEY (kind, device_id, part)
    ) STRICT, WITHOUT ROWID;
    -- Who has accounts is a part of the household, too.
    CREATE TRIGGER edition_accounts_set AFTER INSERT ON inventory WHEN NEW.kind = 'accounts'
      BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_accounts_changed AFTER UPDATE ON inventory WHEN NEW.kind = 'accounts'
      BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_accounts_gone AFTER DELETE ON inventory WHEN OLD.kind = 'accounts'
      BEGIN UPDATE edition SET value = random(); END;

    -- On a child's machine: what tells whether an account is the one that had its number before.
    CREATE TABLE account_identity (
      uid INTEGER PRIMARY KEY,              -- number of the account
      name TEXT NOT NULL,                   -- log-in name
      home TEXT NOT NULL,                   -- path of the home folder
      home_mark TEXT NOT NULL               -- inode and time of birth of that folder; empty if it is not the account's
    ) STRICT;

    -- On a child's machine: who is there in accounts that several children share.
    CREATE TABLE present_child (
      account INTEGER PRIMARY KEY,          -- number of the account
      child BLOB,                           -- 16 bytes; null if somebody has said that nobody is there
      boot_id TEXT NOT NULL,                -- UUID: it holds in this boot alone
      since_boot INTEGER NOT NULL,          -- milliseconds; 0 if nobody has said it
      changed_boot INTEGER NOT NULL,        -- milliseconds
      sessions TEXT NOT NULL                -- the log-in sessions that it ends with: their IDs, a space between two
    ) STRICT;
    CREATE TRIGGER edition_present_set AFTER INSERT ON present_child BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_present_changed AFTER UPDATE ON present_child BEGIN UPDATE edition SET value = random(); END;
    CREATE TRIGGER edition_present_gone AFTER DELETE ON present_child BEGIN UPDATE edition SET value = random(); END;

    -- On a child's machine: wrong PINs since the last right one.
    CREATE TABLE wrong_pin (
      child BLOB PRIMARY KEY,               -- 16 bytes
      count INTEGER NOT NULL,               -- 1 to 64
      boot_id TEXT NOT NULL,                -- UUID of the boot of the last one
      last_boot INTEGER NOT NULL            -- milliseconds
    ) STRICT, WITHOUT ROWID;

    -- What recognizes the applications of this machine, a child's, by its own look.
    CREATE TABLE installed_matcher (
      app_id TEXT PRIMARY KEY,              -- 1 to 255 bytes
      matchers TEXT NOT NULL,               -- a line for each: the kind, a space, the value
      is_own INTEGER NOT NULL               -- 1 if an account has it in its own folder
    ) STRICT, WITHOUT ROWID;

    -- On a child's machine: as which application each program of an account's own was first known.
    CREATE TABLE known_program (
      number INTEGER PRIMARY KEY,           -- in the order in which they became known
      matcher TEXT NOT NULL,                -- the kind, a space, the value
      file TEXT NOT NULL,                   -- the path at which a content was refused; empty for any other matcher
      app_id TEXT,                          -- 1 to 255 bytes; null if it was refused as no application
      UNIQUE (matcher, file)
    ) STRICT;

    -- On a child's machine: the names of applications, as of the last look before they had rules.
    CREATE TABLE known_name (
      app_id TEXT PRIMARY KEY,              -- 1 to 255 bytes
      name TEXT NOT NULL                    -- 1 to 255 bytes
    ) STRICT, WITHOUT ROWID;

    -- On a child's machine: the programs that were refused lately because no parent has listed them.
    CREATE TABLE refused_program (
      number INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of the last refusals
      account INTEGER NOT NULL,             -- number of the account
      line TEXT NOT NULL UNIQUE,            -- the first line of the entry
      entry TEXT NOT NULL                   -- an entry of the inventory `refused`, 1 to 1,024 bytes
    ) STRICT;

    -- The last reading of the hybrid clock.
    CREATE TABLE hybrid_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      wall INTEGER NOT NULL,                -- Unix milliseconds
      counter INTEGER NOT NULL              -- counter
    ) STRICT;
    """

  /// Use of applications.
  static let usage = """
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

    -- The instants at which a child used an application, by day in UTC: what totals are made of.
    CREATE TABLE use_day (
      child BLOB NOT NULL,                  -- 16 bytes
      day INTEGER NOT NULL,                 -- days since 1970-01-01 00:00 UTC, in household time
      app_id TEXT NOT NULL,                 -- 1 to 255 bytes
      category TEXT NOT NULL,               -- a word of AppCategory
      ranges BLOB NOT NULL,                 -- for each range its start and end, u32 big-endian milliseconds of the day
      PRIMARY KEY (child, day, app_id, category)
    ) STRICT, WITHOUT ROWID;

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

    -- Sessions that are being recorded on this machine; the columns of usage_record mean the same here.
    CREATE TABLE open_session (
      record_id BLOB PRIMARY KEY,           -- 16 bytes
      app_id TEXT NOT NULL,                 -- 1 to 255 bytes
      display_name TEXT NOT NULL,           -- 1 to 255 bytes
      boot_id TEXT NOT NULL,                -- UUID
      started_boot INTEGER NOT NULL,        -- milliseconds
      last_seen_boot INTEGER NOT NULL,      -- milliseconds
      session_start INTEGER NOT NULL,       -- Unix milliseconds
      session_end INTEGER NOT NULL,         -- Unix milliseconds of the last heartbeat
      zone TEXT NOT NULL,                   -- name of a time zone, 1 to 64 bytes
      category TEXT NOT NULL,               -- a word of AppCategory
      rate INTEGER NOT NULL,                -- milli-points per minute
      evidence TEXT NOT NULL,               -- a word of UsageEvidence
      account INTEGER,                      -- number of the system's account; null if unknown
      child BLOB,                           -- 16 bytes: the child that uses it; null for none
      household_start INTEGER NOT NULL,     -- Unix milliseconds: the start in household time
      is_weak INTEGER NOT NULL,             -- 1 if what a child can forge recognized its program
      closed_boot INTEGER,                  -- milliseconds: when a rule closed the program; null if none has
      activity_run INTEGER,                 -- the agent's run whose clock was read; the bits of an unsigned integer
      activity_clock INTEGER,               -- milliseconds: what that clock showed
      activity INTEGER                      -- milliseconds: the time of activity so far; these three null if not known
    ) STRICT, WITHOUT ROWID;

    -- The children for whom an open session counts, if they share its account and none has said who is there.
    CREATE TABLE open_session_sharer (
      record_id BLOB NOT NULL REFERENCES open_session(record_id) ON DELETE CASCADE,
      child BLOB NOT NULL,                  -- 16 bytes
      category TEXT NOT NULL,               -- a word of AppCategory: what it is by the child's rules
      PRIMARY KEY (record_id, child)
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

    -- The last programs whose part in a session has ended: what is told of them again, up to that end, is recorded already.
    CREATE TABLE ended_process (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      boot_id TEXT NOT NULL,                -- UUID
      process_id INTEGER NOT NULL,          -- process ID
      process_start_time INTEGER NOT NULL,  -- clock ticks since boot, field 22 of /proc/PID/stat
      ended_boot INTEGER NOT NULL,          -- milliseconds
      UNIQUE (process_id, process_start_time, boot_id)
    ) STRICT;
    """
}

/// What it takes to tell the truth about a machine that was set back to an earlier state. Frozen.
enum Migration013 {
  static let name = "013-set-back"

  static let sql = """
    -- The epoch of the command stream in which `seq` is the command's number; null if a restart left the command out.
    ALTER TABLE command ADD COLUMN epoch INTEGER;

    -- The epochs of a peer's command stream, in the order in which they followed each other, from its first restart on.
    CREATE TABLE command_epoch (
      number INTEGER PRIMARY KEY,
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      epoch INTEGER NOT NULL,
      UNIQUE (peer, epoch)
    ) STRICT;

    -- Of two paired machines one was set back: what its people have to know until it is settled.
    CREATE TABLE set_back (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      cause TEXT NOT NULL,                  -- lost: the peer lost what it had stored; ahead: this machine did
      evidence TEXT NOT NULL,               -- class and epoch of the streams that showed it: the same says nothing new
      at INTEGER NOT NULL,                  -- Unix milliseconds
      newest_command BLOB,                  -- the last command that was given to the peer before; null for none
      ends_age INTEGER NOT NULL,            -- reading of the age clock up to which a child's machine says so
      PRIMARY KEY (peer, cause)
    ) STRICT, WITHOUT ROWID;
    """
}

/// What another machine says and this one does not take: states that contradict this parent's rules, and items that cannot be
/// used. Frozen.
enum Migration009 {
  static let name = "009-not-taken"

  static let sql = """
    -- On a parent: what a child's machine says that it holds of a thing, where that is not what was set here.
    CREATE TABLE discrepancy (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      thing TEXT NOT NULL,                  -- a command's supersede_key
      command_id BLOB NOT NULL,             -- the command that it answered so
      state BLOB,                           -- a protobuf State; null when it did not say
      reason TEXT,                          -- why it did not do what was asked; null for none
      is_far_ahead INTEGER NOT NULL,        -- 1: the state claims a time more than a day ahead of this machine's clock
      at INTEGER NOT NULL,                  -- Unix milliseconds, by this machine's clock
      PRIMARY KEY (peer, thing)
    ) STRICT, WITHOUT ROWID;

    -- Items of a paired machine that were passed over because they cannot be used.
    CREATE TABLE unusable_item (
      peer INTEGER PRIMARY KEY REFERENCES peer(number) ON DELETE CASCADE,
      items INTEGER NOT NULL,
      reason TEXT NOT NULL,                 -- of the last one, one sentence
      at INTEGER NOT NULL                   -- Unix milliseconds of the last one, by this machine's clock
    ) STRICT;
    """
}

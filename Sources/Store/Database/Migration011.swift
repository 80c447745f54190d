/// Items that were not taken: what this machine tells others of theirs, and what it is told of its own. Frozen.
enum Migration011 {
  static let name = "011-refusals"

  static let sql = """
    -- Of each peer: how many of its items were refused here, and how many of this machine's it says that it has refused.
    CREATE TABLE refusal_count (
      peer INTEGER PRIMARY KEY REFERENCES peer(number) ON DELETE CASCADE,
      here INTEGER NOT NULL,
      there INTEGER NOT NULL
    ) STRICT;

    -- Items of this machine that a peer has refused; the newest of each peer.
    CREATE TABLE refused_item (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      kind INTEGER NOT NULL,
      item_id BLOB NOT NULL,                -- 16 bytes
      reason INTEGER NOT NULL,              -- a RefusalReason
      at INTEGER NOT NULL,                  -- Unix milliseconds, by this machine's clock
      UNIQUE (peer, kind, item_id)
    ) STRICT;
    """
}

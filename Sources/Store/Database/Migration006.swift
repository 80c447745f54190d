/// Where a device has proved its key, network by network. Frozen.
enum Migration006 {
  static let name = "006-addresses"

  static let sql = """
    CREATE TABLE address (
      peer INTEGER NOT NULL REFERENCES peer(number) ON DELETE CASCADE,
      network TEXT NOT NULL,                -- mark of the network it was reached on; empty when that was unknown
      address TEXT NOT NULL,                -- host:port
      source TEXT NOT NULL,                 -- how it was learnt: code, connection, mdns, given, told
      last_success_at INTEGER NOT NULL,     -- Unix milliseconds
      last_failure_at INTEGER,              -- Unix milliseconds; null for none
      failure TEXT,                         -- why, in one sentence
      PRIMARY KEY (peer, network, address)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO address (peer, network, address, source, last_success_at)
      SELECT number, '', last_address, 'connection', coalesce(last_seen_at, paired_at) FROM peer
      WHERE last_address IS NOT NULL AND state < 4;
    """
}

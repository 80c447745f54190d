/// What happens to a pairing after it was made: contact, quarantine, removal, and keys that are replaced. Frozen.
enum Migration003 {
  static let name = "003-life-of-a-pairing"

  static let sql = """
    ALTER TABLE peer ADD COLUMN connected_at INTEGER;      -- the first session since the pairing; null for none yet
    ALTER TABLE peer ADD COLUMN quarantined_at INTEGER;    -- two live machines use its keys; null while it is trusted
    ALTER TABLE peer ADD COLUMN removal_sessions INTEGER NOT NULL DEFAULT 0;  -- sessions in which a removal was sent
    ALTER TABLE peer ADD COLUMN removal_silences INTEGER NOT NULL DEFAULT 0;  -- calls met with silence since then
    ALTER TABLE peer ADD COLUMN next_key BLOB;             -- 32 bytes: offered to the peer, not reported stored yet
    ALTER TABLE peer ADD COLUMN previous_key BLOB;         -- 32 bytes: replaced by the peer's offer, maybe in force there
    ALTER TABLE peer ADD COLUMN known_generation INTEGER NOT NULL DEFAULT 0;  -- of the discovery key that the peer has
    ALTER TABLE peer ADD COLUMN sent_generation INTEGER;   -- of the one that is on its way; null for none
    UPDATE peer SET connected_at = last_seen_at WHERE state = 2;

    ALTER TABLE invitation ADD COLUMN generation INTEGER;  -- of the newest discovery key when the code was opened

    -- The household's discovery keys on the parent that founded it: the newest, and those that others may still hold.
    CREATE TABLE discovery_key (
      generation INTEGER PRIMARY KEY,       -- 0 for the one the household began with
      key BLOB NOT NULL                     -- 32 bytes
    ) STRICT;
    """
}

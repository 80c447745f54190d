/// What typed codes and pairings in doubt need. Frozen.
enum Migration002 {
  static let name = "002-typed-codes"

  static let sql = """
    -- The six secret symbols of the typed code, values of 0 to 31; empty once the code is closed.
    ALTER TABLE invitation ADD COLUMN typed_secret BLOB NOT NULL DEFAULT x'';
    -- 1 on a joiner whose half-made pairing had no last word in time: it counts for nothing until a session completes it.
    ALTER TABLE peer ADD COLUMN pending_lapsed INTEGER NOT NULL DEFAULT 0;

    -- Runs of typed codes on a joiner in which nobody proved to be the inviter.
    CREATE TABLE pairing_run (
      discriminator INTEGER PRIMARY KEY,    -- 0 to 1023
      runs INTEGER NOT NULL,
      boot_id TEXT NOT NULL,
      first_boot INTEGER NOT NULL           -- CLOCK_BOOTTIME milliseconds of the first
    ) STRICT;
    """
}

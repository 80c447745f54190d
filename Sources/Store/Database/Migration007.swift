/// Where a device says that it can be called. Frozen.
enum Migration007 {
  static let name = "007-reach"

  static let sql = """
    ALTER TABLE peer ADD COLUMN told TEXT NOT NULL DEFAULT '';  -- host:port, separated by spaces, as it said in a session
    """
}

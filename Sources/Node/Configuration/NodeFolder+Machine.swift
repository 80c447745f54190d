extension NodeFolder {
  /// Whether a state folder was made on this machine; changes nothing, whether or not its node runs.
  ///
  /// - Returns: nil when the machine has no ID, or the folder does not say.
  /// - Throws: `NodeStartupError` when there is no node in the folder, or it cannot be read.
  public static func isOfThisMachine(_ folder: StateFolder) throws(NodeStartupError) -> Bool? {
    guard let machine = try NodeProfile.load(folder).machine, let present = MachineMark.current() else { return nil }
    return machine == present
  }
}

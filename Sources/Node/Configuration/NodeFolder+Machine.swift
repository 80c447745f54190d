extension NodeFolder {
  /// Returns whether a state folder was created on this machine; `nil` if the machine has no ID or the folder does not
  /// record one.
  ///
  /// This changes nothing, and works while the node runs. Throws `NodeStartupError` if the folder holds no node or
  /// cannot be read.
  public static func isOfThisMachine(_ folder: StateFolder) throws(NodeStartupError) -> Bool? {
    guard let machine = try NodeProfile.load(folder).machine, let present = MachineMark.current() else { return nil }
    return machine == present
  }
}

extension Sequence<Register> {
  /// The children whose machine it is, according to the registers of a machine's zone.
  ///
  /// Spec: Protocol/10-household.md §2.
  public var servedChildren: [ChildID] {
    compactMap(\.servedChild)
  }
}

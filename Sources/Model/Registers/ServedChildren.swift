extension Sequence<Register> {
  /// The children whose machine it is, according to the registers of a machine's zone.
  ///
  /// Spec: Protocol/10-household.md §2.
  public var servedChildren: [ChildID] {
    compactMap { register in
      let segments = register.key.segments
      guard segments.count == 2, segments[0] == "child", register.value == "yes" else { return nil }
      return ChildID(segments[1])
    }
  }
}

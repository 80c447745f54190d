/// A child for whom a session counts in an account that several children share, while none has said
/// who is there.
///
/// Spec: Protocol/06-messages.md §5.
public struct SessionSharer: Hashable, Sendable {
  public var child: ChildID
  /// What the application is by the child's rules; learning counts as neutral.
  public var category: AppCategory

  public init(child: ChildID, category: AppCategory) {
    self.child = child
    self.category = category == .learning ? .neutral : category
  }
}

extension OpenUsageSession {
  /// Returns the records of a session that becomes `record`: one for each child for whom it counts.
  ///
  /// The first keeps the session's ID. Those of the others follow from it, so that the same end
  /// makes the same records.
  public func records(from record: UsageRecord) -> [UsageRecord] {
    guard !sharers.isEmpty else { return [record] }
    return sharers.enumerated().map { index, sharer in
      var each = record
      if index > 0 { each.recordID = record.recordID.combined(with: sharer.child) }
      (each.child, each.category) = (sharer.child, sharer.category)
      (each.milliPointsPerMinute, each.earnedMilliPoints) = (0, 0)
      return each
    }
  }
}

extension RecordID {
  /// Returns the ID that follows from this one and a child: the exclusive or of both.
  func combined(with child: ChildID) -> RecordID {
    RecordID(bytes: zip(bytes, child.bytes).map { $0 ^ $1 }) ?? self
  }
}

/// Says what became of a group of records.
enum RecordGroupState: Hashable, Sendable {
  /// All records are announced.
  case established

  /// Another host owns one of the names; all records are withdrawn.
  case collision

  /// The back end gave up; all records are withdrawn.
  case failure(AvahiError)
}

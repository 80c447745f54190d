/// The action of a man in the middle on a frame.
enum Move: Sendable {
  case pass
  /// These bodies go on in its place.
  case send([[UInt8]])
  /// Back to its sender it goes.
  case reflect
  /// It and both connections are cut off.
  case cut
  /// From here on nothing passes in either direction, and nothing is closed.
  case silence
}

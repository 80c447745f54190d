/// Says how a back end stands.
enum ResponderState: Hashable, Sendable {
  /// It is not there, and will be reported when it comes.
  case absent

  /// It is there and getting ready.
  case preparing

  /// It works.
  case running

  /// It is broken; close it and make a new one.
  case failed(AvahiError)
}

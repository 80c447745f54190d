/// Looks for something until closed.
protocol Lookup: AnyObject {
  /// Stop; there is no call-back after this. It may be called more than once and after its responder was closed.
  func close()
}

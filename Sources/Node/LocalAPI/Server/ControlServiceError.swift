/// The reason why the local API's socket could not be created.
struct ControlServiceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The socket's full path.
  var path: String
  /// The cause in a few words, such as `Permission denied`.
  var cause: String

  init(path: String, cause: String) {
    self.path = path
    self.cause = cause
  }

  /// A sentence with the fault and the next step.
  var description: String {
    "The local API's socket \(path) could not be made (\(cause)): put that right or choose another folder with --state-dir."
  }
}

/// Why the local API's socket could not be made.
public struct ControlServiceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The socket's full path.
  public var path: String
  /// In a few words, such as `Permission denied`.
  public var cause: String

  public init(path: String, cause: String) {
    self.path = path
    self.cause = cause
  }

  public var description: String {
    "The local API's socket \(path) could not be made (\(cause)): put that right or choose another folder with --state-dir."
  }
}

import LatchkeyModel

/// An error as the local API answers it: the HTTP status and the JSON body.
package struct ControlFailure: Error, Hashable, Sendable {
  /// HTTP's number.
  package var status: Int
  package var error: LocalAPIError
  /// For 405: the methods that the path takes.
  package var allow: [String]

  init(_ status: Int, _ code: LocalAPIError.Code, _ message: String, allow: [String] = []) {
    self.status = status
    self.error = LocalAPIError(code, message)
    self.allow = allow
  }

  /// Give the node's error the status that fits its code.
  ///
  /// Spec: Protocol/07-local-api.md §2
  init(_ error: LocalAPIError) {
    self.error = error
    self.allow = []
    status =
      switch error.code {
      case .invalid, .typo: 400
      case .forbidden: 403
      case .unknownDevice, .unknownCommand, .unknownPairing, .unknownSession, .unknownItem: 404
      case .ambiguousDevice, .wrongRole, .tooLate, .stillRunning: 409
      case .limit: 429
      case .storage: 507
      case .timeout: 503
      case .internal: 500
      }
  }

  /// What is told when the node is stopping.
  static let stopping = ControlFailure(
    503, .timeout, "The node is stopping: try again once `latchkey run` is running again.")
}

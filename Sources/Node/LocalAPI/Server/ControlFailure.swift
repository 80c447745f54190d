import LatchkeyModel
import NIOHTTP1

extension LocalAPIError.Code {
  /// The status of an answer over HTTP with this error.
  ///
  /// Spec: Protocol/07-local-api.md §2.
  package var status: Int {
    switch self {
    case .invalid, .typo: 400
    case .forbidden: 403
    case .unknownDevice, .unknownChild, .unknownCommand, .unknownPairing, .unknownSession, .unknownItem: 404
    case .ambiguousDevice, .ambiguousChild, .wrongRole, .tooLate, .stillRunning: 409
    case .limit: 429
    case .storage: 507
    case .timeout, .noAgent: 503
    case .internal: 500
    }
  }
}

/// An error in the form in which the local API answers it: the HTTP status and the JSON body.
package struct ControlFailure: Error, Hashable, Sendable {
  package var status: Int
  package var error: LocalAPIError
  /// The methods that the path supports, for status 405.
  package var allow: [String]

  init(_ status: Int, _ code: LocalAPIError.Code, _ message: String, allow: [String] = []) {
    self.status = status
    self.error = LocalAPIError(code, message)
    self.allow = allow
  }

  /// Creates the answer to a node's error, with the status for its code.
  init(_ error: LocalAPIError) { (status, self.error, allow) = (error.code.status, error, []) }

  /// Creates the answer to a request that is not valid HTTP.
  init(_ fault: HTTPParserError) {
    let (status, sentence) =
      switch fault {
      case .headerOverflow: (431, "The request's line and headers are too long: send at most 80 KiB of them.")
      case .invalidMethod: (501, "The request's method is unknown here: use GET, POST or DELETE.")
      case .invalidVersion: (505, "The request is of another version of HTTP: use HTTP/1.1.")
      case .invalidContentLength, .unexpectedContentLength:
        (400, "The request's Content-Length is wrong: give the body's length in bytes once, in digits.")
      case .invalidChunkSize:
        (400, "The request's body is not chunked as it should be: send it with a Content-Length.")
      case .invalidEOFState: (400, "The request ended before its time: send the whole of it.")
      case .invalidURL: (400, "The request's path is malformed: use one that the local API lists.")
      case .invalidHeaderToken: (400, "A header of the request is malformed: send each as `Name: value`.")
      default: (400, "The request is not HTTP as it should be: compare it with RFC 9112.")
      }
    self.init(status, .invalid, sentence)
  }

  static let forbidden = refusal(
    "This account may ask the node nothing: for a child's account, a parent says whose it is with `latchkey accounts "
      + "assign`; otherwise run the command as root, or as the user who runs the node.")

  static let notForChildren = refusal(
    "A child may not do that: ask a parent to, or run `latchkey me` for what is left today and `latchkey ask` for more."
  )

  static let unknownReceiver = refusal(
    "No receiver here has that token: `latchkey receivers` lists those that are set up, and `latchkey receivers add` sets "
      + "one up anew.")

  static let malformedKey = ControlFailure(
    400, .invalid, "The header idempotency-key is malformed: give 1 to 64 letters, digits and hyphens.")

  static func repeated(_ name: String) -> ControlFailure {
    ControlFailure(400, .invalid, "The request has the header \(name) more than once: send it once.")
  }

  static let notForReceivers = refusal(
    "A parent has not allowed this receiver to do that: `latchkey receivers add` with --may says what it may do.")

  static let unknownBrowser = refusal(
    "This browser was signed out: let it in again with `latchkey dashboard --phone` on the machine itself.")

  static let notForBrowsers = refusal(
    "That is done at the machine itself, and from no phone: open `latchkey dashboard` there, or use its command.")

  static let notForLooking = refusal(
    "This phone was let in to look, and changes nothing: let it in anew as a parent's to do that with it.")

  static let unnamed = refusal(
    "Several children share this account, and nobody has said who is here: type `latchkey me --i-am` and your name first."
  )

  static let ofAnotherChild = refusal("A child asks about itself alone: leave the child's name out, or ask a parent.")

  static let ofAllChildren = refusal(
    "Several children use this machine, and the message is for all of them: leave it to the parents to mark it as read."
  )

  private static func refusal(_ sentence: String) -> ControlFailure { ControlFailure(403, .forbidden, sentence) }

  /// Returns the answer to a caller without access to an endpoint.
  static func forbidden(_ caller: Caller?) -> ControlFailure {
    switch caller?.principal {
    case .child: .notForChildren
    case .sharedAccount: .unnamed
    case .integration: .notForReceivers
    case .browser: .notForBrowsers
    case .lookingBrowser: .notForLooking
    default: .forbidden
    }
  }

  static let stopping = ControlFailure(
    503, .timeout, "The node is stopping: try again once `latchkey run` is running again.")
}

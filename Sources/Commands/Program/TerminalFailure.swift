import LatchkeyModel
import LatchkeyNode
import LatchkeyWeb

/// The reason why a command fails: one sentence for the person and an exit status for scripts.
struct TerminalFailure: Error, Hashable, Sendable {
  /// One of sysexits.h.
  var exitStatus: Int32
  /// The fault and the next step; `nil` if they were printed already.
  var sentence: String?

  init(_ status: ExitStatus, _ sentence: String? = nil) { self.init(exitStatus: status.rawValue, sentence: sentence) }

  init(exitStatus: Int32, sentence: String?) {
    self.exitStatus = exitStatus
    self.sentence = sentence
  }

  /// Creates the failure for an error that a command may meet; `nil` for errors of the argument
  /// parser.
  init?(_ error: any Error) {
    switch error {
    case let failure as TerminalFailure: self = failure
    case let error as LocalAPIError:
      let phrase = error.phrase.map { $0.worded(in: TerminalEnvironment.current.language) }
      self.init(ExitStatus(error.code), phrase ?? error.message)
    case let error as NodeUnavailable:
      let status: ExitStatus =
        switch error.reason {
        case .notInitialised: .noInput
        case .notRunning: .unavailable
        case .notPermitted, .notPrivate: .permission
        }
      self.init(status, error.description)
    case let fault as WebFault: self.init(.unavailable, fault.sentence)
    case let fault as NodeStartupError: self.init(exitStatus: fault.exitStatus, sentence: fault.message)
    case let fault as DeviceSearch.Fault: self.init(.unknownName, fault.description)
    case let error as DeviceNameError: self.init(.data, error.description)
    default: return nil
    }
  }
}

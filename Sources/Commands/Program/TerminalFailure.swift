import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import LatchkeyWeb

/// The reason why a command fails: one sentence for the person and an exit status for scripts.
struct TerminalFailure: Error, Hashable, Sendable {
  /// One of sysexits.h.
  var exitStatus: Int32
  /// The fault and the next step; `nil` if they were printed already.
  var sentence: String?
}

extension TerminalFailure {
  init(_ status: ExitStatus, _ sentence: String? = nil) { self.init(exitStatus: status.rawValue, sentence: sentence) }

  /// Returns `nil` for errors of the argument parser.
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
    case let fault as BridgeFault: self.init(.data, fault.sentence)
    case let fault as NotificationFault:
      self.init(
        .unavailable,
        "This session has no notification service (\(ShownText.safe(fault.reason))): run this in a desktop session, or "
          + "install one, such as the package dunst.")
    case let fault as NodeStartupError: self.init(exitStatus: fault.exitStatus, sentence: fault.message)
    case let fault as DeviceSearch.Fault: self.init(.unknownName, fault.description)
    case let error as DeviceNameError: self.init(.data, error.description)
    default: return nil
    }
  }
}

/// The exit statuses, after sysexits.h; `usage track` also passes on that of its program.
enum ExitStatus: Int32, Sendable, CaseIterable {
  case ok = 0
  /// EX_USAGE: the command line is wrong. Argument errors have this status, too.
  case usage = 64
  /// EX_DATAERR: a value is wrong: a bad code, a bad payload, a command that failed.
  case data = 65
  /// EX_NOINPUT: something to read is missing: a state folder, a code on standard input, a program.
  case noInput = 66
  /// EX_NOUSER: no such device, command or pairing.
  case unknownName = 67
  /// EX_UNAVAILABLE: the node is not running, or the other machine cannot be found.
  case unavailable = 69
  /// EX_SOFTWARE: a fault of Latchkey's own.
  case internalFault = 70
  /// EX_CANTCREAT: a folder or file cannot be made.
  case cannotCreate = 73
  /// EX_IOERR: reading or writing failed, such as on a full disk.
  case inputOutput = 74
  /// EX_TEMPFAIL: it may work later: time is up, a limit is reached, the other side is busy.
  case tryAgain = 75
  /// EX_PROTOCOL: the two machines do not understand each other.
  case protocolFault = 76
  /// EX_NOPERM: not allowed: another user's node, the wrong role, a refusal.
  case permission = 77
  /// EX_CONFIG: the state folder is of a newer version or damaged.
  case configuration = 78

  /// The status for what the node answered.
  init(_ code: LocalAPIError.Code) {
    self =
      switch code {
      case .invalid, .typo, .tooLate, .stillRunning: .data
      case .unknownDevice, .ambiguousDevice, .unknownChild, .ambiguousChild, .unknownCommand, .unknownPairing,
        .unknownSession, .unknownItem:
        .unknownName
      case .wrongRole, .forbidden: .permission
      case .noAgent: .unavailable
      case .limit, .timeout: .tryAgain
      case .storage: .inputOutput
      case .internal: .internalFault
      }
  }

  /// The status for how a pairing ended.
  init(_ outcome: PairingOutcome) {
    self =
      switch outcome {
      case .ok, .alreadyPaired: .ok
      case .wrongCode, .typo, .expired: .data
      case .refused: .permission
      case .busy, .network, .cancelled: .tryAgain
      case .notFound: .unavailable
      case .version: .protocolFault
      }
  }

  /// The status for how a command that was waited for stands.
  init(_ status: CommandStatus) {
    self =
      switch status {
      case .executed: .ok
      case .failed, .expired, .superseded, .cancelled: .data
      case .queued, .stored: .tryAgain
      }
  }
}

import LatchkeyModel
import LatchkeyProtocol

/// A command that has a child's machine look which applications are installed on it, and tell its
/// parents.
///
/// The machine's scanner carries it out; what it found reaches the parents as a list of its own.
///
/// Spec: Protocol/10-household.md §5.
public struct ScanApplications: CommandDefinition {
  /// The name of the kind on the wire and in the database: `scanApplications`.
  public static let kind: CommandKind = "scanApplications"
  /// The states that a child's machine may report of such a command.
  public static let states: [any CommandState.Type] = [ApplicationsScanned.self]
  /// The time in which the machine must have looked, in milliseconds.
  public static let longestMilliseconds: Int64 = 600_000

  public init() {}
  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are
  /// malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {}

  /// The wire form.
  public var bytes: [UInt8] { [] }

  /// Leaves the work to the machine's scanner.
  public func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    .underWay(EffectWait("the look at what is installed", within: Self.longestMilliseconds))
  }

  /// A phrase that describes the command in a list of commands.
  public var summary: String { "tell which applications are installed" }
}

/// The end of a look at what is installed.
public struct ApplicationsScanned: CommandState {
  /// The name of the kind on the wire and in the database: `applicationsScanned`.
  public static let kind: CommandKind = "applicationsScanned"

  /// The number of the machine's list, which counts its lists from 1.
  public var number: UInt64
  public var applications: Int

  public init(number: UInt64, applications: Int) {
    self.number = number
    self.applications = applications
  }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are
  /// malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_ApplicationsScanned(wire: bytes)
      guard message.number > 0 else { throw WireError("a list of applications without a number") }
      return ApplicationsScanned(number: message.number, applications: Int(message.applications))
    }
  }

  /// The wire form.
  public var bytes: [UInt8] {
    var message = Latchkey_V1_ApplicationsScanned()
    message.number = number
    message.applications = UInt32(clamping: applications)
    return message.wireBytes
  }

  /// The state in whole sentences, in which the machine is called “there”.
  public var summary: String { "\(counted) found there; `latchkey apps scan` lists them." }
  /// Returns the state in whole sentences that name the machine.
  public func summary(on machine: String) -> String {
    "\(counted) found on \(machine); `latchkey apps scan` lists them."
  }

  private var counted: String { applications == 1 ? "1 application was" : "\(applications) applications were" }
}

extension CommandDraft {
  /// The draft of a request for the installed applications.
  public static var scanApplications: CommandDraft { CommandDraft(ScanApplications(), for: ScanApplications.self) }
}

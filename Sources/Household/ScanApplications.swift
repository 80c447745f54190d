import LatchkeyModel
import LatchkeyProtocol

/// A command that makes a child's machine scan its installed applications.
///
/// The machine's scanner carries it out. The result reaches the parents as the inventory
/// `installed`.
///
/// Spec: Protocol/10-household.md §5.
public struct ScanApplications: CommandDefinition {
  public static let kind: CommandKind = "scanApplications"
  public static let title = Phrase("a look at what is installed")
  public static let states: [any CommandState.Type] = [ApplicationsScanned.self]
  /// The time in which the scan must end, in milliseconds.
  public static let longestMilliseconds: Int64 = 600_000

  public init() {}

  public init(bytes: [UInt8]) throws(BodyFault) {}

  public var bytes: [UInt8] { [] }

  /// Starts no scan itself, and waits for the machine's scanner.
  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    .underWay(EffectWait("the look at what is installed", within: Self.longestMilliseconds))
  }

  public var summary: String { "tell which applications are installed" }
}

public struct ApplicationsScanned: CommandState {
  public static let kind: CommandKind = "applicationsScanned"

  /// The number of the machine's list.
  ///
  /// A machine numbers its lists from 1.
  public var number: UInt64
  public var applications: Int

  public init(number: UInt64, applications: Int) { (self.number, self.applications) = (number, applications) }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_ApplicationsScanned(wire: bytes)
      guard message.number > 0 else { throw WireError("a list of applications without a number") }
      return ApplicationsScanned(number: message.number, applications: Int(message.applications))
    }
  }

  public var bytes: [UInt8] {
    var message = Latchkey_V1_ApplicationsScanned()
    message.number = number
    message.applications = UInt32(clamping: applications)
    return message.wireBytes
  }

  public var summary: String { "\(counted) found there; `latchkey apps scan` lists them." }
  public func summary(on machine: String) -> String {
    "\(counted) found on \(machine); `latchkey apps scan` lists them."
  }

  private var counted: String { applications == 1 ? "1 application was" : "\(applications) applications were" }
}

extension CommandDraft {
  public static var scanApplications: CommandDraft { CommandDraft(ScanApplications(), for: ScanApplications.self) }
}

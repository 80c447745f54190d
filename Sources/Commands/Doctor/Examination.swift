import LatchkeyModel
import LatchkeyRules
import LatchkeySystem

/// The findings of `latchkey doctor`.
public struct Examination: Codable, Sendable, Hashable {
  /// The findings: those about the node, then the others by descending severity.
  public var findings: [Finding] = []

  /// Derives the findings from the facts, without access to the machine.
  init(_ facts: Facts) {
    facts.checkNode(&findings)
    var others: [Finding] = []
    for check in [
      facts.checkMachine, facts.checkFolder, facts.checkDisk, facts.checkInterfaces, facts.checkTunnels,
      facts.checkFirewall, facts.checkResponders, facts.checkMulticast, facts.checkPeer, facts.checkQueues,
      facts.checkClocks, facts.checkConditions, facts.checkReceivers, facts.checkPhones,
    ] { check(&others) }
    // Findings of equal severity keep the order of the checks.
    findings += Severity.allCases.reversed().flatMap { severity in others.filter { $0.severity == severity } }
  }

  var worst: Severity? { findings.map(\.severity).max() }
}

public struct Finding: Codable, Sendable, Hashable {
  /// The name of the finding for programs: lower-case words joined by `-`.
  public var id: String
  public var severity: Severity
  public var sentence: String
  /// The next step; empty if there is nothing to do.
  public var next: String

  init(_ id: String, _ severity: Severity, _ sentence: String, next: String = "") {
    (self.id, self.severity, self.sentence, self.next) = (id, severity, sentence, next)
  }
}

extension [Finding] {
  mutating func add(_ id: String, _ severity: Severity, _ sentence: String, next: String = "") {
    append(Finding(id, severity, sentence, next: next))
  }
}

/// The severity of a finding, in ascending order.
public enum Severity: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
  /// Nothing is wrong.
  case information
  /// The subject could not be examined.
  case unchecked
  /// The finding may prevent connections between machines, or soon will.
  case warning
  /// The finding prevents connections between machines, or endangers stored data.
  case fault

  public static func < (one: Severity, other: Severity) -> Bool {
    one != other && allCases.first { [one, other].contains($0) } == one
  }
}

/// The facts that an examination gathered.
///
/// `nil` and empty values represent facts that could not be gathered.
struct Facts: Sendable {
  var node: NodeFacts
  var machine = MachineFacts.same
  var folder: FolderFacts
  var interfaces: [NetworkInterface] = []
  /// The interface through which packets to the Internet leave; `nil` if there is none.
  var defaultInterface: String?
  var firewall = FirewallFacts()
  /// The processes with a socket on UDP port 5353.
  var responders: [PortHolder] = []
  var bus = ServiceState.answers
  var avahi = ServiceState.answers
  /// The results of a multicast question on each interface.
  var multicast: [MulticastProbe] = []
  /// The device whose path is examined.
  var peer: PeerFacts?
  var clock = ClockFacts()
  var conditions: [ConditionListing] = []
  var receivers: [ReceiverListing] = []
  /// Where phones find the pages; `nil` if none is let in.
  var phones: PhoneFacts?
  /// What the words about each machine's conditions call applications and children.
  var terms: [DeviceID: RuleTerms] = [:]

  /// What the node says; `nil` if it cannot be reached.
  var status: NodeStatus? { if case .running(let status, _) = node { status } else { nil } }

  /// The node's TCP port; `nil` if it does not listen.
  var port: UInt16? { status?.listening.lazy.compactMap { SocketEndpoint($0)?.port }.first }

  /// The interfaces on which the node searches.
  var lanInterfaces: [NetworkInterface] { interfaces.filter { $0.exclusion(names: chosenInterfaces) == nil } }

  /// The interfaces that a person chose for the node; `nil` if it uses all that are not virtual.
  var chosenInterfaces: [String]? { status?.interfaces }
}

enum NodeFacts: Sendable {
  case running(NodeStatus, NearbyMachines?)
  /// The node cannot be reached; a sentence gives the reason and the next step.
  case absent(String)
}

/// The relation of the state folder to this machine.
enum MachineFacts: Sendable, Hashable {
  case same
  /// The folder was made on another machine, or this one has a new machine ID.
  case other
  /// This machine has no ID, or the folder does not hold one.
  case unknown
  /// There is no node in the folder, or the folder cannot be read.
  case unreadable
}

/// The state folder and its disk.
struct FolderFacts: Sendable, Hashable {
  /// The state folder itself, or a file or folder in it.
  struct Entry: Sendable, Hashable {
    var path: String
    /// The user ID of the owner.
    var owner: UInt32
    /// The permission bits, including those for set-user-ID, set-group-ID and sticky.
    var mode: UInt32
    /// Whether the entry is a symbolic link, whose owner and mode have no meaning.
    var isLink = false
    /// The number of hard links to a file.
    var names = 1
  }

  var path: String
  var exists = true
  /// The user ID of the caller.
  var user: UInt32 = 0
  var entries: [Entry] = []
  /// An ancestor folder in which any user may rename and replace files; `nil` if there is none.
  var exposedParent: String?
  /// The bytes that this user may still write; `nil` if unknown.
  var freeBytes: Int64?
  var isReadOnly = false
  /// The median time until a small write was durable, in microseconds; `nil` if none succeeded.
  var syncMicroseconds: Int64?
  /// The system's reason why writing failed; `nil` if it succeeded.
  var writeFault: String?
}

/// The pages for phones that were let in.
struct PhoneFacts: Sendable, Hashable {
  /// The port of the pages; `nil` if that is not known.
  var port: UInt16?
  /// Whether a program listens on the port.
  var isListening: Bool
  /// Whether the authority that phones trust is there.
  var hasAuthority: Bool
}

/// This machine's wall clock, and the readings of other machines' clocks.
struct ClockFacts: Sendable, Hashable {
  /// A time that a device recorded by its own clock, in Unix milliseconds.
  struct Stamp: Sendable, Hashable {
    var device: String
    var at: Int64
  }

  /// Unix milliseconds.
  var now: Int64 = 0
  /// Whether a time service synchronizes the clock; `nil` if the system does not report it.
  var isSynchronised: Bool?
  var stamps: [Stamp] = []
}

/// The path to one paired device.
struct PeerFacts: Sendable {
  var status: PeerStatus
  /// The results of connecting to its addresses.
  var probes: [AddressProbe]
}

/// An attempt at a TCP connection to a peer's address.
struct AddressProbe: Sendable, Hashable {
  enum Outcome: Sendable, Hashable {
    case connected
    /// The machine answers, but no program listens on the port.
    case refused
    /// No answer arrived in time.
    case silent
    /// No route leads there, for the reason that the system gives.
    case noWay(String)
  }

  /// The address as `host:port`.
  var address: String
  var outcome: Outcome
  /// The interface through which packets to the address leave; `nil` if there is none.
  var interface: String?

  /// The address without its port; `nil` for a host name.
  var host: IPAddress? { SocketEndpoint(address).flatMap { IPAddress($0.plainHost) } }
}

/// A question sent to the mDNS group of an interface.
struct MulticastProbe: Sendable, Hashable {
  var interface: String
  /// The system's reason why the question could not be sent or received; `nil` if it could.
  var fault: String?
  /// Whether this machine's own question was received.
  var heardItself: Bool
  /// The number of other addresses from which mDNS packets were received meanwhile, at most 256.
  var heardOthers = 0
}

/// A process with a socket on a port.
struct PortHolder: Sendable, Hashable {
  /// The program's name; `nil` if only root may read it.
  var name: String?
  var user: UInt32 = 0
}

enum ServiceState: Sendable, Hashable {
  case answers
  /// The socket exists but gives no answer, or refuses the caller, for the reason in the clause.
  case silent(String)
  case absent
}

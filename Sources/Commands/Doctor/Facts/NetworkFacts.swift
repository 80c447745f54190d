import LatchkeyModel
import LatchkeySystem

/// An attempt at a TCP connection to a peer's address.
public struct AddressProbe: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    case connected
    /// The machine answers, but no program listens on the port.
    case refused
    /// No answer arrived in time.
    case silent
    /// No route leads there, for the reason that the system gives.
    case noWay(String)
  }

  /// The address as `host:port`.
  public var address: String
  public var outcome: Outcome
  /// The interface through which packets to the address leave; `nil` if there is none.
  public var interface: String?

  public init(address: String, outcome: Outcome, interface: String? = nil) {
    self.address = address
    self.outcome = outcome
    self.interface = interface
  }

  /// The address without its port; `nil` for a host name.
  var host: IPAddress? { SocketEndpoint(address).flatMap { IPAddress($0.plainHost) } }
}

/// A question sent to the mDNS group of an interface.
public struct MulticastProbe: Sendable, Hashable {
  public var interface: String
  /// The system's reason why the question could not be sent or received; `nil` if there was no
  /// fault.
  public var fault: String?
  /// A Boolean value that indicates whether this machine's own question was received.
  public var heardItself: Bool
  /// The number of other addresses from which mDNS packets were received meanwhile, at most 256.
  public var heardOthers: Int

  public init(interface: String, fault: String? = nil, heardItself: Bool, heardOthers: Int = 0) {
    self.interface = interface
    self.fault = fault
    self.heardItself = heardItself
    self.heardOthers = heardOthers
  }
}

/// A process with a socket on a port.
public struct PortHolder: Sendable, Hashable {
  /// The program's name; `nil` if only root may read it.
  public var name: String?
  /// The process ID; `nil` if only root may read it.
  public var processID: Int32?
  public var user: UInt32

  public init(name: String?, processID: Int32? = nil, user: UInt32 = 0) {
    self.name = name
    self.processID = processID
    self.user = user
  }
}

public enum ServiceState: Sendable, Hashable {
  case answers
  /// The socket exists but gives no answer, or refuses the caller, for the reason in the clause.
  case silent(String)
  case absent
}

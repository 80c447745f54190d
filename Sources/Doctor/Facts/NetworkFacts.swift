import LatchkeyAgent
import LatchkeyModel

/// A try at a TCP connection to a peer's address.
public struct AddressProbe: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    case connected
    /// The machine answers, and no program listens there.
    case refused
    /// There is no answer.
    case silent
    /// There is no way there, for the reason that the system gives.
    case noWay(String)
  }

  /// `host:port`.
  public var address: String
  public var outcome: Outcome
  /// The interface that packets to the address leave by; `nil` if there is none.
  public var interface: String?

  public init(address: String, outcome: Outcome, interface: String? = nil) {
    self.address = address
    self.outcome = outcome
    self.interface = interface
  }

  /// The address without its port; `nil` for a host's name.
  var host: IPAddress? { SocketEndpoint(address).flatMap { IPAddress($0.plainHost) } }
}

/// A question sent to the mDNS group of an interface.
public struct MulticastProbe: Sendable, Hashable {
  public var interface: String
  /// The system's reason why the question could not be sent or listened for.
  public var fault: String?
  /// A Boolean value that indicates whether this machine's own question came back to it.
  public var heardItself: Bool
  /// The number of other addresses that sent something over mDNS meanwhile, at most 256.
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
  /// The program's name; `nil` if only root may see it.
  public var name: String?
  public var processID: Int32?
  /// The user ID that it runs as.
  public var user: UInt32

  public init(name: String?, processID: Int32? = nil, user: UInt32 = 0) {
    self.name = name
    self.processID = processID
    self.user = user
  }
}

/// The state of a system service.
public enum ServiceState: Sendable, Hashable {
  case answers
  /// Its socket is there and gives no answer, or refuses the caller, for the reason in the clause.
  case silent(String)
  case absent
}

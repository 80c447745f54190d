import LatchkeyModel

/// A failure of a socket.
///
/// Each description includes the next step.
public enum TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  case portInUse(UInt16)
  case cannotListen(String)
  /// There is no network interface of this name.
  case noInterface(String)
  case cannotConnect(SocketEndpoint, String)

  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "Port \(port) is in use by another program: choose another one with --port, or none to take any that is free."
    case .cannotListen(let why): "Listening for other devices failed (\(why)): check --interfaces and --port."
    case .noInterface(let name):
      "There is no network interface “\(DeviceName(sanitising: name))” on this machine: `latchkey doctor` names those there are."
    case .cannotConnect(let endpoint, let why): "\(endpoint) cannot be reached (\(why))"
    }
  }
}

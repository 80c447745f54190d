/// A process with a socket on a port.
public struct PortHolder: Sendable, Hashable {
  /// The program's name; nil when only root may see it.
  public var name: String?
  public var processID: Int32?
  /// The user it runs as.
  public var user: UInt32

  public init(name: String?, processID: Int32? = nil, user: UInt32 = 0) {
    self.name = name
    self.processID = processID
    self.user = user
  }
}

/// One question sent to the mDNS group of an interface.
public struct MulticastProbe: Sendable, Hashable {
  public var interface: String
  /// Why it could not be sent or listened for, as the system says it.
  public var fault: String?
  /// Whether this machine's own question came back to it.
  public var heardItself: Bool
  /// Other addresses that said something over mDNS meanwhile, at most 256.
  public var heardOthers: Int

  public init(interface: String, fault: String? = nil, heardItself: Bool, heardOthers: Int = 0) {
    self.interface = interface
    self.fault = fault
    self.heardItself = heardItself
    self.heardOthers = heardOthers
  }
}

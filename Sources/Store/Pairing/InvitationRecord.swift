import LatchkeyModel

/// An open pairing code in the database, so that a restart neither closes it nor resets the count
/// of guesses.
public struct InvitationRecord: Hashable, Sendable {
  public var pairingID: String
  /// The code's discriminator, 0 to 1023.
  public var discriminator: UInt16
  /// The secret of the pasted code, 16 bytes.
  public var secret: [UInt8]
  /// The six secret symbols of the typed code, values of 0 to 31.
  public var typedSecret: [UInt8]
  /// The number of minutes for which the code was opened.
  public var minutes: Int
  /// The name of the child whose machine is to be paired, if the person entered it.
  public var childName: String?
  /// A Boolean value that indicates whether a joiner is accepted without asking the person.
  public var acceptsWithoutAsking: Bool
  /// The boot in which the code was opened.
  public var bootID: String
  /// The time at which the code was opened.
  public var openedAt: BootInstant
  /// The number of wrong guesses.
  public var failures: Int
  /// The device that is pending by this code, if any.
  public var pendingDevice: DeviceID?

  public init(
    pairingID: String, discriminator: UInt16, secret: [UInt8], typedSecret: [UInt8], minutes: Int,
    childName: String?, acceptsWithoutAsking: Bool, bootID: String, openedAt: BootInstant, failures: Int = 0,
    pendingDevice: DeviceID? = nil
  ) {
    self.pairingID = pairingID
    self.discriminator = discriminator
    self.secret = secret
    self.typedSecret = typedSecret
    self.minutes = minutes
    self.childName = childName
    self.acceptsWithoutAsking = acceptsWithoutAsking
    self.bootID = bootID
    self.openedAt = openedAt
    self.failures = failures
    self.pendingDevice = pendingDevice
  }

  /// The time at which the code expires, in the boot in which it was opened.
  public var deadline: BootInstant { openedAt + Int64(minutes) * 60_000 }
}

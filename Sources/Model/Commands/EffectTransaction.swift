/// What the effects of commands may read and write, within the transaction that brings a command into force.
///
/// There are two: the database's, and the simulator's in memory, so that both run the same effects.
public protocol EffectTransaction {
  /// This device.
  var own: DeviceID { get }
  /// The device that gave the command, for the audit.
  var author: DeviceID { get }
  /// Unix milliseconds by this machine's wall clock; for people, never for a decision.
  var wall: Int64 { get }
  /// How far this machine holds to rules.
  var enforcement: Enforcement { get }

  func app(_ id: AppID, on device: DeviceID) throws -> (configuration: AppConfiguration, enforcement: Enforcement?)?
  func apps(on device: DeviceID) throws -> [AppConfiguration]
  /// - Parameter isNews: whether the audit tells of it.
  mutating func save(
    _ configuration: AppConfiguration, on device: DeviceID, enforcement: Enforcement?, isNews: Bool) throws
  mutating func removeApp(_ id: AppID, on device: DeviceID) throws

  /// The removal of an application's rules that holds on this machine; `nil` for none.
  func removal(of id: AppID) throws -> HybridTimestamp?
  mutating func noteRemoval(of id: AppID, _ modified: HybridTimestamp) throws
  mutating func forgetRemoval(of id: AppID) throws

  func settings() throws -> FamilySettings?
  /// - Parameter isNews: whether the audit tells of it.
  mutating func save(_ settings: FamilySettings, isNews: Bool) throws
  mutating func removeSettings() throws

  /// Keeps a text for the person at this machine; one that is kept under the ID changes nothing.
  mutating func keep(_ message: ReceivedMessage) throws

  /// A value of a kind that has no table of its own, by a key that begins with the kind's name; `nil` for none.
  func value(_ key: String, on device: DeviceID) throws -> [UInt8]?
  /// Keeps such a value; `nil` forgets it.
  mutating func set(_ key: String, on device: DeviceID, to value: [UInt8]?) throws

  /// Returns a register that this machine holds, also a deleted one; `nil` if there has been no edit of it.
  func register(_ key: RegisterKey, in zone: Zone) throws -> Register?
  /// Returns the registers of a zone that this machine holds, in the order of their keys.
  func registers(in zone: Zone) throws -> [Register]
  /// Returns the zones of which this machine holds registers.
  func zones() throws -> [Zone]
  /// Keeps an edit in place of what is held of the register.
  mutating func save(_ register: Register) throws
  /// Forgets all registers of a zone.
  mutating func forget(_ zone: Zone) throws
  /// On a child's machine: has its other parents hear of edits.
  mutating func tell(_ registers: [Register]) throws
  /// On a parent's machine: keeps what a child's machine says that it holds where another parent has set it, and moves the
  /// hybrid clock past it.
  mutating func note(_ told: [Register], by device: DeviceID) throws

  /// Rows of usage that this machine holds.
  func usageRecords() throws -> Int64
}

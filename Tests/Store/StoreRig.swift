import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport

/// A store in a folder of its own, with methods that fill it.
final class StoreRig {
  let folder: URL
  let own: DeviceID
  private(set) var store: Store
  var random: SeededRandom
  let clock = ManualClock(milliseconds: 1_000)
  let caps: QueueCaps
  let coding: MessageBodyCoding
  /// Commands are issued in the order of their IDs.
  private var commandsGiven: Int64 = 0

  /// Opens a new store.
  ///
  /// Its devices are the same for the same seed.
  init(
    seed: UInt64 = 1, caps: QueueCaps = QueueCaps(), coding: MessageBodyCoding = MessageBodyCoding()
  ) throws {
    self.caps = caps
    self.coding = coding
    random = SeededRandom(seed: seed)
    own = Samples.deviceID(&random)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("lk-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try Store(
      path: folder.appendingPathComponent("db.sqlite").path, own: own, coding: coding, keys: TestKeys(),
      caps: caps, clock: clock.store)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  var path: String { folder.appendingPathComponent("db.sqlite").path }

  /// Closes the store and opens it again, like a restart.
  func reopen() throws {
    store.close()
    store = try Store(
      path: path, own: own, coding: coding, keys: TestKeys(), caps: caps, clock: clock.store)
  }

  /// Returns a device that can be paired.
  func device(_ role: DeviceRole = .child, name: String = "Emma's PC") -> RegisteredDevice {
    RegisteredDevice(
      deviceID: Samples.deviceID(&random), name: DeviceName(sanitising: name), role: role,
      identityKey: Hexadecimal.encode(random.bytes(32)), linkKey: Hexadecimal.encode(random.bytes(32)), pairedAt: 1)
  }

  /// Pairs a device.
  @discardableResult
  func paired(_ role: DeviceRole = .child) async throws -> DeviceID {
    let device = device(role)
    try await store.savePending(
      device, pairwiseKey: random.bytes(32), invitation: nil, bootID: "boot", now: BootInstant(milliseconds: 1))
    guard try await store.promote(device.deviceID, at: 2) else { throw StoreError.unexpected("no promotion") }
    return device.deviceID
  }

  /// Pairs a device that has been connected since.
  func connected(_ role: DeviceRole = .child) async throws -> DeviceID {
    let device = try await paired(role)
    try await store.seen(device, address: nil, synced: false, isSession: true, at: 2)
    return device
  }

  func pair(_ id: DeviceID, _ role: DeviceRole) async throws {
    var device = device(role)
    device.deviceID = id
    try await store.savePending(
      device, pairwiseKey: random.bytes(32), invitation: nil, bootID: "boot", now: BootInstant(milliseconds: 1))
    guard try await store.promote(id, at: 2) else { throw StoreError.unexpected("no promotion") }
  }

  /// Issues a command with a new payload.
  @discardableResult
  func command(
    _ payload: CommandPayload = .message("hello"), to device: DeviceID, expiresAfter: Int64? = nil
  ) async throws -> (ConfigurationCommand, OutboxChange) {
    commandsGiven += 1
    let id = CommandID(milliseconds: commandsGiven, random: random.bytes(10))
    let issued = try await store.issue(id, to: device, expiresAfter: expiresAfter, at: 10) {
      _, _ in payload
    }
    return (issued.command, issued.change)
  }

  /// Returns a command as the machine of a parent sends it.
  func item(_ sequence: UInt64, _ payload: CommandPayload, from author: DeviceID) -> DeliveryItem {
    let id = Samples.commandID(&random)
    let body = coding.encode(CommandBody(commandID: id, author: author, createdAt: 3, payload: payload))
    return DeliveryItem(sequence: sequence, kind: .command, itemID: id.bytes, body: body)
  }

  func receive(
    _ items: [DeliveryItem], epoch: UInt64 = 7, from device: DeviceID, awaitsAgent: Bool = false
  ) async throws -> InboxResult {
    try await store.receive(
      [ItemRun(streamClass: .command, epoch: epoch, items: items)], from: device, role: .parent, enforcement: .recorded,
      awaitsAgent: awaitsAgent, at: 4)
  }

  /// Returns the item with a child's receipt.
  func receipt(_ sequence: UInt64, _ receipt: CommandReceipt) -> DeliveryItem {
    DeliveryItem(
      sequence: sequence, kind: .receipt, itemID: receipt.commandID.bytes, body: coding.encode(receipt))
  }

  func session(_ device: DeviceID? = nil, start: Int64, end: Int64, app: String = "org.example.App") throws
    -> UsageRecord
  {
    var record = Samples.usageRecord(&random)
    record.device = device ?? own
    guard let app = AppID(app) else { throw StoreError.unexpected("an application's ID") }
    record.appID = app
    (record.sessionStart, record.sessionEnd, record.activeMilliseconds) = (start, end, end - start)
    (record.account, record.child, record.householdStart) = (nil, nil, start)
    return record
  }

  /// Changes the file while the store is closed.
  func edit(_ sql: String, _ arguments: StatementArguments = []) throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: sql, arguments: arguments) }
  }

  /// Reads the file through a separate connection.
  func look<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try DatabaseQueue(path: path).read(body)
  }
}

extension CommandPayload {
  /// The state with which an honest child answers that it has executed the command.
  var answer: StateInForce {
    if let edit = self.as(Edit.self) { return StateInForce(RegistersInForce(edit.registers, .recorded)) }
    guard kind == RequestReport.kind else { return .messageStored }
    return .report(DeviceReport(version: "1", enforcement: .recorded, usageRecords: 0, registers: 0))
  }
}

extension ManualClock {
  /// The clock for a store, within the present boot.
  fileprivate var store: StoreClock { StoreClock(bootID: bootID, now: { self.now }) }
}

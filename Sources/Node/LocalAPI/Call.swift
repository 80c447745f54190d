import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import Synchronization

/// The node with the rights of one caller, and what was read for the request.
///
/// Handlers are extensions of this type beside their endpoints. They throw errors of the store as
/// they are; `ask` turns these into errors of the local API.
///
/// Spec: Protocol/07-local-api.md.
package struct Call: NodeInterface {
  let node: NodeService
  let caller: Caller
  private let memory = Memory()

  /// The longest time that a request waits for a change, in milliseconds.
  static let longPoll: Int64 = 25_000

  init(_ node: NodeService, caller: Caller) { (self.node, self.caller) = (node, caller) }

  package func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    do {
      try endpoint.route.place?.check(role)
      return try await Through.$browser.withValue(caller.browser?.label) { try await endpoint.answer(self, input) }
    } catch let error as LocalAPIError {
      throw error
    } catch let error as StoreError {
      throw LocalAPIError(error)
    } catch is CancellationError {
      throw ControlFailure.stopping.error
    } catch {
      context.logger.error("A request failed", metadata: ["error": "\(error)"])
      throw LocalAPIError(
        .internal, phrase: "The node could not answer: look for the cause in what `latchkey run` prints.")
    }
  }

  var context: NodeContext { node.context }
  var store: Store { context.store }
  var own: DeviceID { context.own }
  var directory: LinkDirectory { node.directory }
  var role: DeviceRole { context.profile.role }
}

// MARK: - Reading once for a request

extension Call {
  private final class Memory: Sendable {
    let household = Mutex<Household?>(nil)
    let family = Mutex<Family?>(nil)
    let installed = Mutex<[DeviceID: KnownInventory<InstalledApp>]?>(nil)
  }

  private typealias Family = (peers: [PeerRecord], otherParents: [DeviceID: [OtherParent]], awaiting: Set<DeviceID>)

  /// The same request with nothing read yet, to look again after a change.
  var again: Call { Call(node, caller: caller) }

  func forget() {
    memory.household.withLock { $0 = nil }
    memory.family.withLock { $0 = nil }
    memory.installed.withLock { $0 = nil }
  }

  /// Returns the children of the family with their machines, accounts and rules, as they were first
  /// read.
  func household() async throws(StoreError) -> Household {
    if let known = memory.household.withLock({ $0 }) { return known }
    let household = try await context.readHousehold()
    memory.household.withLock { $0 = household }
    return household
  }

  /// Returns all devices whose history is stored, the parents that they name, and the devices that
  /// have not confirmed an edit.
  private func family() async throws(StoreError) -> Family {
    if let known = memory.family.withLock({ $0 }) { return known }
    let family = try await store.peersAndOtherParents(awaiting: role == .parent ? Edit.kind : nil)
    memory.family.withLock { $0 = family }
    return family
  }

  /// Returns all devices whose history is stored.
  func peers() async throws(StoreError) -> [PeerRecord] { try await family().peers }

  func active() async throws(StoreError) -> [PeerRecord] { try await peers().filter { $0.state == .active } }

  /// Returns the devices of the list: the paired ones, and the removed ones that do not know of
  /// their removal.
  func listed() async throws(StoreError) -> [PeerRecord] { try await peers().filter(\.isListed) }

  func otherParents() async throws(StoreError) -> [DeviceID: [OtherParent]] { try await family().otherParents }

  func machinesWithEditsUnderWay() async throws(StoreError) -> Set<DeviceID> { try await family().awaiting }

  /// Returns the applications that children's machines have reported; on a child's node its own.
  func installed() async throws(StoreError) -> [DeviceID: KnownInventory<InstalledApp>] {
    if let known = memory.installed.withLock({ $0 }) { return known }
    let installed = try await store.inventories(InstalledApp.self)
    memory.installed.withLock { $0 = installed }
    return installed
  }

  func names() async throws(StoreError) -> FactNames {
    let family = try await family()
    return FactNames(family.peers, family.otherParents, own: context)
  }

  func name(_ device: DeviceID) async throws(StoreError) -> DeviceName { name(device, try await peers()) }

  func name(_ device: DeviceID, _ peers: [PeerRecord]) -> DeviceName {
    device == own
      ? context.name
      : peers.first { $0.device.deviceID == device }?.device.name ?? DeviceName(sanitising: device.short)
  }
}

// MARK: - Writing and waiting

extension Call {
  /// Makes changes of registers durable and sends them to the machines that they concern.
  @discardableResult
  func edit(_ changes: [RegisterChange]) async throws(StoreError) -> [ConfigurationCommand] {
    if changes.isEmpty { return [] }
    let result = try await context.act(directory) { _, _ in ((), ActOrders(edits: changes)) }
    forget()
    return result.commands
  }

  /// Makes facts, edits and commands durable in one transaction, and sends them to the machines
  /// that they concern.
  ///
  /// `make` refuses by throwing a `LocalAPIError` before it writes anything: what it has written
  /// is kept.
  func act<Value: Sendable>(
    _ make: @escaping @Sendable (inout DatabaseEffects, ClockReader) throws -> (Value, ActOrders)
  ) async throws -> (value: Value, commands: [ConfigurationCommand], changes: [OutboxChange]) {
    let result = try await context.act(directory) { effects, clock -> (Result<Value, LocalAPIError>, ActOrders) in
      do {
        let (value, orders) = try make(&effects, clock)
        return (.success(value), orders)
      } catch let fault as LocalAPIError { return (.failure(fault), .none) }
    }
    forget()
    return (try result.value.get(), result.commands, result.changes)
  }

  /// Looks after each change until the result is as wanted or the time is over, and returns the
  /// last result.
  func once<Found>(
    within milliseconds: Int64, _ signal: ChangeSignal? = nil,
    _ look: (Call) async throws -> (found: Found, isWanted: Bool)
  ) async throws -> Found {
    let signal = signal ?? context.changes
    let deadline = context.now() + milliseconds
    // By hand, since the last look's result is returned even if it is not as wanted.
    while true {
      let seen = signal.version
      let (found, isWanted) = try await look(again)
      let rest = deadline - context.now()
      if isWanted || rest <= 0 || Task.isCancelled { return found }
      await signal.wait(after: seen, milliseconds: rest)
    }
  }

  /// Returns the 16 bytes of an ID that follow from the key of a request, so that a repeated
  /// request has the same ID; `nil` for a request without a key.
  ///
  /// No other machine has the same ID: with one ID on two machines, a child could ask for something
  /// else than what a parent has read.
  func keyedBytes(_ what: String, of child: ChildID) -> [UInt8]? {
    caller.key.map { key in Array(SHA256.hash(Array("\(what) \(own) \(child) \(key)".utf8)).prefix(16)) }
  }

  func newID<ID>(_ make: ([UInt8]) -> ID?, _ what: String) throws(LocalAPIError) -> ID {
    guard let id = make(context.nextCommandID(context.wall()).bytes) else {
      throw LocalAPIError(.internal, "\(what) got no ID: give the command again.")
    }
    return id
  }
}

extension LocalAPIError {
  init(_ error: StoreError) {
    switch error {
    case .noSuchPeer: self.init(.unknownDevice, error.description)
    case .queueFull, .tooManyPeers: self.init(.limit, error.description)
    case .refused: self.init(.invalid, error.description)
    case .unexpected: self.init(.internal, error.description)
    case .diskFull, .readOnly, .inputOutput, .cannotOpen, .corrupt, .newerVersion:
      self.init(.storage, error.description)
    }
    phrase = error.phrase
  }
}

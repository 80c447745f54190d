import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeySimulation
import LatchkeyStore
import LatchkeyTestSupport

/// The real store and the simulator's model of it.
///
/// Both get the same requests, one after the other.
final class StorePair {
  struct Peer {
    let device: DeviceID
    let role: DeviceRole
  }

  private let folder: URL
  let own: DeviceID
  let role: DeviceRole
  let peers: [Peer]
  /// A machine that is not paired, of which parents may pass on lists.
  let stranger: DeviceID
  let caps: QueueCaps
  let coding = MessageBodyCoding(.simulated)
  let clock = ManualClock(milliseconds: 1_000)
  private let realKeys = SeededKeys(seed: 0)
  private let modelKeys = SeededKeys(seed: 0)
  private let sources: ModelSources
  private(set) var real: Store
  var model: ModelStore
  var random: SeededRandom
  private var steps: UInt64 = 0
  /// The model's epoch for each epoch of the real store, which draws its own.
  private var epochs: [UInt64: UInt64] = [:]
  /// The epochs that restarts of command streams chose, which are the same in both stores.
  var pastEpochs: [UInt64] = []
  /// Commands are issued in the order of their IDs.
  private var commandsGiven: Int64 = 0
  var wall: Int64 = 1_800_000_000_000

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    own = Samples.deviceID(&random)
    role = random.once(in: 2) ? .parent : .child
    var peers: [Peer] = []
    for _ in 0..<3 { peers.append(Peer(device: Samples.deviceID(&random), role: role == .parent ? .child : .parent)) }
    self.peers = peers
    stranger = Samples.deviceID(&random)
    caps =
      random.once(in: 2)
      ? QueueCaps(items: Int64(3 + random.below(20)), bytes: Int64(1_500 + random.below(6_000))) : QueueCaps()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (clock, keys, epochs) = (clock, modelKeys, Epochs(seed: seed))
    sources = ModelSources(
      coding: coding, keys: keys, freshEpoch: { epochs.next() }, bootID: clock.bootID, now: { clock.now })
    model = ModelStore(own: own, caps: caps, sources: sources)
    real = try Store(
      path: folder.appendingPathComponent("db.sqlite").path, own: own, coding: coding, keys: realKeys, caps: caps,
      clock: clock.store)
  }

  deinit {
    real.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The source of the model's epochs.
  private final class Epochs {
    private var random: SeededRandom

    init(seed: UInt64) {
      random = SeededRandom(seed: ~seed)
    }

    func next() -> UInt64 { random.next() | 1 }
  }

  /// Closes both stores and opens them, like a restart of the process or of the machine.
  func reopen(isReboot: Bool) throws {
    real.close()
    model.close()
    if isReboot { clock.reboot() }
    real = try Store(
      path: folder.appendingPathComponent("db.sqlite").path, own: own, coding: coding, keys: realKeys, caps: caps,
      clock: clock.store)
    sources.bootID = clock.bootID
    model.open()
  }

  /// Runs an operation on both stores, and returns the difference of the answers; `nil` if there is
  /// none.
  func both(
    _ what: String, _ askReal: (Store) async throws -> String, _ askModel: (inout ModelStore) throws -> String
  ) async -> String? {
    steps += 1
    realKeys.begin(steps)
    modelKeys.begin(steps)
    let (one, other): (String, String)
    do { one = try await askReal(real) } catch { one = Self.word(error) }
    let before = model
    do { other = try askModel(&model) } catch {
      model = before
      other = Self.word(error)
    }
    return one == other ? nil : "\(what) gives \(one), and \(other) in the model"
  }

  private static func word(_ error: any Error) -> String {
    switch error {
    case StoreError.queueFull, ModelStoreFault.queueFull: "a full queue"
    case StoreError.noSuchPeer, ModelStoreFault.noSuchPeer: "no such peer"
    case StoreError.unexpected, ModelStoreFault.unexpected: "a refusal"
    default: "\(error)"
    }
  }

  // MARK: Epochs

  /// Returns the model's name of a real epoch, which is learned when both are first seen together.
  func epoch(_ real: UInt64, _ model: UInt64?) -> UInt64 {
    if let known = epochs[real] { return known }
    epochs[real] = model ?? real
    return model ?? real
  }

  func word(_ changes: [OutboxChange]) -> String {
    changes.map { "\($0.device) \($0.streamClass.word) \($0.last)" }.sorted().joined(separator: ", ")
  }

  func word(_ changes: [ModelChange]) -> String {
    changes.map { "\($0.device) \($0.streamClass.word) \($0.last)" }.sorted().joined(separator: ", ")
  }

  func nextCommandID() -> CommandID {
    commandsGiven += 1
    return CommandID(milliseconds: wall + commandsGiven, random: random.bytes(10))
  }
}

extension ManualClock {
  /// The clock for a store, within the present boot.
  fileprivate var store: StoreClock { StoreClock(bootID: bootID, now: { self.now }) }
}

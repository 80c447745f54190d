import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// Whom this node recognises by what is announced, and whom of them it misses. Spec: Protocol/02-discovery.md §3, §4.
final class KnownMembers: Sendable {
  private struct State {
    var keys: [[UInt8]] = []
    var devices: [DeviceID] = []
    var connected: Set<DeviceID> = []
    var isEverybodyWanted = false
    /// Who made which hint, nil for nobody known: a hint is computed once for each device.
    var owners: [[UInt8]: DeviceID?] = [:]

    var missed: Int { devices.count { !connected.contains($0) } }
  }

  private let state = Mutex(State())
  /// Other devices are missed than before, or it has changed whether somebody wants to know of all.
  let changes = ChangeSignal()
  /// Hints kept with their makers; as many as services are.
  private static let maximumOwners = 512

  /// Take these discovery keys, 32 bytes each, and these paired devices in place of those before.
  func set(keys: [[UInt8]], devices: [DeviceID]) {
    let isNews = state.withLock { state in
      guard state.keys != keys || state.devices != devices else { return false }
      (state.keys, state.devices, state.owners) = (keys, devices, [:])
      return true
    }
    if isNews { changes.notify() }
  }

  /// A session with a device is open, or none is.
  func set(_ device: DeviceID, isConnected: Bool) {
    let isNews = state.withLock { state in
      isConnected ? state.connected.insert(device).inserted : state.connected.remove(device) != nil
    }
    if isNews { changes.notify() }
  }

  /// How many paired devices there are.
  var count: Int { state.withLock { $0.devices.count } }

  /// Whether a paired device has no session.
  var isAnybodyMissed: Bool { state.withLock { $0.missed > 0 } }

  /// Whether somebody wants to know of everything that is announced.
  var isEverybodyWanted: Bool {
    get { state.withLock { $0.isEverybodyWanted } }
    set {
      let isNews = state.withLock { state in
        defer { state.isEverybodyWanted = newValue }
        return state.isEverybodyWanted != newValue
      }
      if isNews { changes.notify() }
    }
  }

  /// The paired device whose hint these pairs hold.
  func owner(_ text: [String: [UInt8]]) -> DeviceID? {
    guard Self.isOurVersion(text), let nonce = text["n"], let hint = text["h"], nonce.count == 8, hint.count == 8 else {
      return nil
    }
    let (keys, devices, known) = state.withLock { ($0.keys, $0.devices, $0.owners[nonce + hint]) }
    if let known { return known }
    // Whoever was away when the household's key was replaced announces itself with an earlier one.
    let owner = devices.first { device in
      keys.contains { DiscoveryHint.make(discoveryKey: $0, nonce: nonce, device: device) == hint }
    }
    state.withLock { state in
      guard state.keys == keys, state.devices == devices else { return }
      if state.owners.count >= Self.maximumOwners { state.owners = [:] }
      state.owners[nonce + hint] = .some(owner)
    }
    return owner
  }

  /// Whether it is worth following: it is a paired device; or somebody wants to know of all, for anybody may open a code.
  func isOfInterest(_ text: [String: [UInt8]]) -> Bool {
    owner(text) != nil || isEverybodyWanted && Self.isOurVersion(text)
  }

  /// Whether the announcement is of this version of the protocol.
  static func isOurVersion(_ text: [String: [UInt8]]) -> Bool { text["v"] == Array("1".utf8) }
}

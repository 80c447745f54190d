import LatchkeyDiscovery
import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// The members that this node recognizes in announcements, and those that are not connected.
///
/// Spec: Protocol/02-discovery.md §3, §4.
final class KnownMembers: Sendable {
  private struct State {
    var keys: [[UInt8]] = []
    var devices: [DeviceID] = []
    var connected: Set<DeviceID> = []
    var isEverybodyWanted = false
    /// The device that created each hint, or `nil` if it is unknown, so that a hint is computed
    /// once for each device.
    var owners: [[UInt8]: DeviceID?] = [:]

    var missed: Int { devices.count { !connected.contains($0) } }
  }

  private let state = Mutex(State())
  /// Signals a change in the set of unconnected members, or in `isEverybodyWanted`.
  let changes = ChangeSignal()

  /// Replaces the discovery keys, 32 bytes each, and the paired devices.
  func set(keys: [[UInt8]], devices: [DeviceID]) {
    change { state in
      guard state.keys != keys || state.devices != devices else { return false }
      (state.keys, state.devices, state.owners) = (keys, devices, [:])
      return true
    }
  }

  func set(_ device: DeviceID, isConnected: Bool) {
    change { isConnected ? $0.connected.insert(device).inserted : $0.connected.remove(device) != nil }
  }

  /// Changes the state, and signals it if the closure returns that it is news.
  private func change(_ body: (inout State) -> Bool) { if state.withLock({ body(&$0) }) { changes.notify() } }

  var connected: Set<DeviceID> { state.withLock { $0.connected } }

  var count: Int { state.withLock { $0.devices.count } }

  var isAnybodyMissed: Bool { state.withLock { $0.missed > 0 } }

  var isEverybodyWanted: Bool {
    get { state.withLock { $0.isEverybodyWanted } }
    set { change { exchange(&$0.isEverybodyWanted, with: newValue) != newValue } }
  }

  /// Returns the paired device whose hint is in an announcement's text.
  func owner(_ text: [String: [UInt8]]) -> DeviceID? {
    guard Self.isOurVersion(text), let nonce = text["n"], let hint = text["h"], nonce.count == 8, hint.count == 8 else {
      return nil
    }
    let (keys, devices, known) = state.withLock { ($0.keys, $0.devices, $0.owners[nonce + hint]) }
    if let known { return known }
    // A device that was away when the household's key was replaced announces itself with an earlier
    // key.
    let owner = devices.first { device in
      keys.contains { DiscoveryHint.make(discoveryKey: $0, nonce: nonce, device: device) == hint }
    }
    state.withLock { state in
      guard state.keys == keys, state.devices == devices else { return }
      if state.owners.count >= Limits.announcements { state.owners = [:] }
      state.owners[nonce + hint] = .some(owner)
    }
    return owner
  }

  /// Returns whether to follow an announcement: it is a paired device's, or all are wanted, since
  /// any device may open a code.
  func isOfInterest(_ text: [String: [UInt8]]) -> Bool {
    owner(text) != nil || isEverybodyWanted && Self.isOurVersion(text)
  }

  static func isOurVersion(_ text: [String: [UInt8]]) -> Bool { text["v"] == Array("1".utf8) }
}

extension DiscoveredService {
  var endpoints: [SocketEndpoint] {
    // IPv4 comes first, since it needs no interface name.
    addresses.sorted { $0.address.isV4 && !$1.address.isV4 }.map { SocketEndpoint(host: $0.host, port: port) }
  }

  /// The discriminators of the open codes that the node announces.
  var codes: Set<UInt16> { KnownMembers.isOurVersion(text) ? OpenCodesText.discriminators(text["d"]) : [] }
}

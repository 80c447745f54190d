import LatchkeyModel
import LatchkeyProtocol
import Synchronization

/// Whom this node recognises by what is announced. Spec: Protocol/02-discovery.md §3.
final class KnownMembers: Sendable {
  private let state = Mutex((keys: [[UInt8]](), devices: [DeviceID]()))

  /// Take these discovery keys, 32 bytes each, and these paired devices in place of those before.
  func set(keys: [[UInt8]], devices: [DeviceID]) { state.withLock { $0 = (keys, devices) } }

  /// The paired device whose hint these pairs hold.
  func owner(_ text: [String: [UInt8]]) -> DeviceID? {
    guard Self.isOurVersion(text), let nonce = text["n"], let hint = text["h"], nonce.count == 8, hint.count == 8 else {
      return nil
    }
    let (keys, devices) = state.withLock { $0 }
    // Whoever was away when the household's key was replaced announces itself with an earlier one.
    return devices.first { device in
      keys.contains { DiscoveryHint.make(discoveryKey: $0, nonce: nonce, device: device) == hint }
    }
  }

  /// Whether its addresses are worth knowing: it is a paired device, or has a code open.
  func isOfInterest(_ text: [String: [UInt8]]) -> Bool {
    Self.isOurVersion(text) && text["d"] != nil || owner(text) != nil
  }

  /// Whether the announcement is of this version of the protocol.
  static func isOurVersion(_ text: [String: [UInt8]]) -> Bool { text["v"] == Array("1".utf8) }
}

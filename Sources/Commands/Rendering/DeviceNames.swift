import LatchkeyModel

/// Device IDs to the names that people gave.
struct DeviceNames: Sendable {
  private var names: [DeviceID: DeviceName]

  /// Ask the node.
  init(of node: any NodeInterface) async throws(LocalAPIError) {
    names = Dictionary(try await node.devices().map { ($0.device.deviceID, $0.device.name) }) { first, _ in first }
  }

  init(_ names: [DeviceID: DeviceName]) {
    self.names = names
  }

  /// The name, or the beginning of the ID of a device that is not known.
  subscript(id: DeviceID) -> String { names[id]?.text ?? id.short }
}

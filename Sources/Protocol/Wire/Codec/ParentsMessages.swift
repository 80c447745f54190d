import LatchkeyModel

extension Latchkey_V1_Parents {
  init(_ parents: [PairedParent]) {
    self.init()
    self.parents = parents.map { parent in
      var message = Latchkey_V1_Parents.Parent()
      message.device = WireBytes(parent.deviceID.bytes)
      message.name = parent.name.text
      message.pairedAt = parent.pairedAt
      if let leftAt = parent.leftAt { message.leftAt = leftAt }
      return message
    }
  }

  func value() throws(WireError) -> [PairedParent] {
    guard parents.count <= Limits.toldParents else { throw WireError("\(parents.count) parents") }
    var list: [PairedParent] = []
    for parent in parents {
      guard let device = DeviceID(bytes: Array(parent.device)) else {
        throw WireError("a device ID of \(parent.device.count) bytes")
      }
      guard HybridTimestamp.walls.contains(parent.pairedAt) else {
        throw WireError("a time of a pairing that no calendar has")
      }
      guard !list.contains(where: { $0.deviceID == device }) else { throw WireError("a parent named twice") }
      list.append(
        PairedParent(
          deviceID: device, name: DeviceName(sanitising: parent.name), pairedAt: parent.pairedAt,
          leftAt: parent.hasLeftAt ? parent.leftAt : nil))
    }
    return list
  }
}

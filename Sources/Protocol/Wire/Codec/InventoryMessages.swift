import LatchkeyModel

/// Spec: Protocol/06-messages.md §10.
extension Latchkey_V1_Inventory {
  init(_ inventory: Inventory) {
    self.init()
    if let device = inventory.device { self.device = WireBytes(device.bytes) }
    kind = inventory.kind
    number = inventory.number
    part = UInt32(clamping: inventory.part)
    parts = UInt32(clamping: inventory.parts)
    more = UInt32(clamping: inventory.more)
    entries = inventory.entries
  }

  func value() throws(WireError) -> Inventory {
    let device = hasDevice ? DeviceID(bytes: Array(self.device)) : nil
    guard !hasDevice || device != nil else { throw WireError("a device that is no device ID") }
    guard number > 0 else { throw WireError("a list without a number") }
    guard (1...UInt32(Limits.inventoryParts)).contains(parts), part < parts else {
      throw WireError("part \(part) of \(parts) of a list")
    }
    for text in entries {
      if let fault = TextRule.inventoryEntry.fault(in: text) { throw WireError(fault) }
    }
    return Inventory(
      device: device, kind: kind, number: number, part: Int(part), parts: Int(parts), more: Int(more),
      entries: entries)
  }
}

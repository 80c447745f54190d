import LatchkeyModel

extension Latchkey_V1_Labels {
  init(_ labels: SessionLabels) {
    self.init()
    if let own = labels.own { self.own = .init(own) }
    if let yours = labels.yours { self.yours = .init(yours) }
  }

  func value() throws(WireError) -> SessionLabels {
    SessionLabels(own: hasOwn ? try own.value() : nil, yours: hasYours ? try yours.value() : nil)
  }
}

extension Latchkey_V1_Labels.Label {
  init(_ label: DeviceLabel) {
    self.init()
    name = label.name.text
    guard let at = label.at else { return }
    wall = at.wall
    counter = at.counter
    author = WireBytes(at.author.bytes)
  }

  func value() throws(WireError) -> DeviceLabel {
    guard HybridTimestamp.walls.contains(wall), let author = DeviceID(bytes: Array(author)) else {
      throw WireError("a label without a time")
    }
    return DeviceLabel(
      DeviceName(sanitising: name), at: HybridTimestamp(wall: wall, counter: counter, author: author))
  }
}

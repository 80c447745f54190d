import LatchkeyModel

extension Latchkey_V1_Running {
  init(_ list: RunningList) {
    self.init()
    device = WireBytes(list.device.bytes)
    number = list.number
    entries = list.entries.map { use in
      var entry = Entry()
      entry.recordID = WireBytes(use.recordID.bytes)
      if let account = use.account { entry.account = account }
      if let child = use.child { entry.child = WireBytes(child.bytes) }
      entry.appID = use.appID.text
      entry.displayName = use.displayName
      entry.category = use.category.wire
      entry.milliPointsPerMinute = use.milliPointsPerMinute
      entry.since = use.since
      entry.activeMilliseconds = use.activeMilliseconds
      return entry
    }
  }

  func value() throws(WireError) -> RunningList {
    guard let device = DeviceID(bytes: device) else { throw WireError("a device that is no device ID") }
    guard entries.count <= RunningList.most else { throw WireError("\(entries.count) running sessions") }
    var list: [RunningUse] = []
    for entry in entries {
      let use = try entry.value()
      if let last = list.last, !last.recordID.bytes.lexicographicallyPrecedes(use.recordID.bytes) {
        throw WireError("running sessions that are not in the order of their IDs")
      }
      list.append(use)
    }
    return RunningList(device: device, number: number, entries: list)
  }
}

extension Latchkey_V1_Running.Entry {
  fileprivate func value() throws(WireError) -> RunningUse {
    guard let id = RecordID(bytes: recordID) else { throw WireError("a record without an ID of 16 bytes") }
    guard let app = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    let use = RunningUse(
      recordID: id, account: hasAccount ? account : nil, child: try ChildID(wire: hasChild ? child : nil), appID: app,
      displayName: displayName, category: try AppCategory(wire: category),
      milliPointsPerMinute: milliPointsPerMinute, since: since, activeMilliseconds: activeMilliseconds)
    if let fault = use.fault { throw WireError(fault) }
    return use
  }
}

import LatchkeyModel

extension Latchkey_V1_Installed {
  init(_ part: InstalledPart) {
    self.init()
    number = part.number
    self.part = UInt32(clamping: part.part)
    parts = UInt32(clamping: part.parts)
    more = UInt32(clamping: part.more)
    entries = part.apps.map { app in
      var entry = Entry()
      entry.appID = app.appID.text
      entry.name = app.name
      entry.version = app.version
      entry.suggestion = app.suggestion?.wire ?? 0
      return entry
    }
  }

  func value() throws(WireError) -> InstalledPart {
    guard number > 0 else { throw WireError("a list of applications without a number") }
    guard (1...UInt32(Limits.installedParts)).contains(parts), part < parts else {
      throw WireError("part \(part) of \(parts) of a list of applications")
    }
    guard entries.count <= Limits.installedApps else { throw WireError("\(entries.count) applications") }
    var apps: [InstalledApp] = []
    for entry in entries {
      let app = try entry.value()
      if let last = apps.last, last.appID >= app.appID {
        throw WireError("applications that are not in the order of their IDs")
      }
      apps.append(app)
    }
    return InstalledPart(number: number, part: Int(part), parts: Int(parts), more: Int(more), apps: apps)
  }
}

extension Latchkey_V1_Installed.Entry {
  fileprivate func value() throws(WireError) -> InstalledApp {
    guard let id = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    let app = InstalledApp(
      appID: id, name: name, version: version,
      suggestion: suggestion == 0 ? nil : try AppCategory(wire: suggestion))
    if let fault = app.fault { throw WireError(fault) }
    return app
  }
}

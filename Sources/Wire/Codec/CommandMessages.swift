import LatchkeyModel

extension Latchkey_V1_Command {
  init(_ command: CommandBody) {
    self.init()
    commandID = WireBytes(command.commandID.bytes)
    author = WireBytes(command.author.bytes)
    createdAt = command.createdAt
    switch command.payload {
    case .setApp(let configuration): setApp = .init(configuration)
    case .removeApp(let id, let modified): removeApp = .init(id, modified)
    case .setFamilySettings(let settings): setFamilySettings = .init(settings)
    case .requestReport: requestReport = .init()
    case .message(let text): message.text = text
    case .unpair: unpair = .init()
    }
  }

  func value() throws(WireError) -> CommandBody {
    guard let id = CommandID(bytes: commandID) else { throw WireError("a command without an ID of 16 bytes") }
    guard let author = DeviceID(bytes: author) else { throw WireError("an author that is no device ID") }
    return CommandBody(commandID: id, author: author, createdAt: createdAt, payload: try payloadValue())
  }

  private func payloadValue() throws(WireError) -> CommandPayload {
    let value: CommandPayload
    switch payload {
    case .setApp(let configuration): value = .setApp(try configuration.value())
    case .removeApp(let removal):
      let (id, modified) = try removal.value()
      value = .removeApp(id, modified: modified)
    case .setFamilySettings(let settings): value = .setFamilySettings(try settings.value())
    case .requestReport: value = .requestReport
    case .message(let text): value = .message(text.text)
    case .unpair: value = .unpair
    case nil:
      throw WireError("a kind of command that this version (\(Version.software)) does not know; update this machine")
    }
    if let fault = value.fault { throw WireError(fault) }
    return value
  }
}

extension Latchkey_V1_RemoveApp {
  init(_ id: AppID, _ modified: HybridTimestamp?) {
    self.init()
    appID = id.text
    if let modified { self.modified = .init(modified) }
  }

  func value() throws(WireError) -> (AppID, HybridTimestamp?) {
    guard let id = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    return (id, hasModified ? try modified.value() : nil)
  }
}

extension Latchkey_V1_Receipt {
  init(_ receipt: CommandReceipt) {
    self.init()
    commandID = WireBytes(receipt.commandID.bytes)
    at = receipt.at
    switch receipt.outcome {
    case .executed(let value):
      outcome = 1
      state = .init(value)
    case .failed(let text):
      outcome = 2
      reason = TextRule.reason.cleaned(text)
    case .expired: outcome = 3
    case .superseded(let value):
      outcome = 4
      if let value { state = .init(value) }
    }
  }

  func value() throws(WireError) -> CommandReceipt {
    guard let id = CommandID(bytes: commandID) else { throw WireError("a receipt without a command ID of 16 bytes") }
    let outcome: CommandReceipt.Outcome
    switch self.outcome {
    case 1: outcome = .executed(try state.value())
    case 2:
      if let fault = TextRule.reason.fault(in: reason) { throw WireError(fault) }
      outcome = .failed(reason: reason)
    case 3: outcome = .expired
    case 4: outcome = .superseded(hasState ? try state.value() : nil)
    default: throw WireError("outcome \(self.outcome)")
    }
    return CommandReceipt(commandID: id, outcome: outcome, at: at)
  }
}

extension Latchkey_V1_State {
  init(_ value: StateInForce) {
    self.init()
    switch value {
    case .app(let configuration, let enforcement):
      app.configuration = .init(configuration)
      app.enforcement = enforcement.wire
    case .appRemoved(let id, let modified): appRemoved = .init(id, modified)
    case .familySettings(let settings): familySettings = .init(settings)
    case .report(let value): report = .init(value)
    case .messageStored: messageStored = .init()
    case .unpaired: unpaired = .init()
    }
  }

  func value() throws(WireError) -> StateInForce {
    switch state {
    case .app(let app): return .app(try app.configuration.value(), try Enforcement(wire: app.enforcement))
    case .appRemoved(let removal):
      let (id, modified) = try removal.value()
      return .appRemoved(id, modified: modified)
    case .familySettings(let settings): return .familySettings(try settings.value())
    case .report(let report): return .report(try report.value())
    case .messageStored: return .messageStored
    case .unpaired: return .unpaired
    case nil: throw WireError("a state of an unknown kind")
    }
  }
}

extension Latchkey_V1_Report {
  init(_ report: DeviceReport) {
    self.init()
    version = report.version
    enforcement = report.enforcement.wire
    usageRecords = report.usageRecords
    if let settings = report.familySettings { familySettings = .init(settings) }
    var omitted = report.omittedApps
    // The whole receipt has to fit an item's body.
    var bytes = 1_024
    for (index, app) in report.apps.enumerated() {
      let message = Latchkey_V1_AppConfiguration(app)
      bytes += message.wireBytes.count + 8
      guard bytes <= Limits.itemBodyBytes else {
        omitted += report.apps.count - index
        break
      }
      apps.append(message)
    }
    omittedApps = UInt32(clamping: omitted)
  }

  func value() throws(WireError) -> DeviceReport {
    if let fault = TextRule.software.fault(in: version) { throw WireError(fault) }
    guard usageRecords >= 0 else { throw WireError("a negative number of usage records") }
    var report = DeviceReport(
      version: version, enforcement: try Enforcement(wire: enforcement), apps: [],
      omittedApps: Int(omittedApps), familySettings: hasFamilySettings ? try familySettings.value() : nil,
      usageRecords: usageRecords)
    for app in apps { report.apps.append(try app.value()) }
    return report
  }
}

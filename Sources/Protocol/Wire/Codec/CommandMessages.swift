import LatchkeyModel

extension Latchkey_V1_Command {
  init(_ command: CommandBody) {
    self.init()
    commandID = command.commandID.withUnsafeBytes { WireBytes($0) }
    author = WireBytes(command.author.bytes)
    createdAt = command.createdAt
    kind = command.payload.kind.rawValue
    payload = WireBytes(command.payload.value.bytes)
  }

  func value(_ commands: CommandRegistry) throws(WireError) -> CommandBody {
    guard let id = CommandID(bytes: commandID) else { throw WireError("a command without an ID of 16 bytes") }
    guard let author = DeviceID(bytes: author) else { throw WireError("an author that is no device ID") }
    let value: CommandPayload
    do { value = try commands.payload(kind, payload.array) } catch {
      throw WireError(error.description, phrase: error.phrase)
    }
    return CommandBody(commandID: id, author: author, createdAt: createdAt, payload: value)
  }
}

extension Latchkey_V1_Receipt {
  init(_ receipt: CommandReceipt) {
    self.init()
    commandID = receipt.commandID.withUnsafeBytes { WireBytes($0) }
    at = receipt.at
    switch receipt.outcome {
    case .executed(let value):
      outcome = 1
      state = .init(value)
    case .failed(let text):
      outcome = 2
      tell(text)
    case .expired: outcome = 3
    case .superseded(let value):
      outcome = 4
      if let value { state = .init(value) }
    case .underWay(let text):
      outcome = 5
      tell(text)
    }
  }

  func value(_ commands: CommandRegistry) throws(WireError) -> CommandReceipt {
    guard let id = CommandID(bytes: commandID) else { throw WireError("a receipt without a command ID of 16 bytes") }
    let outcome: CommandReceipt.Outcome
    switch self.outcome {
    case 1: outcome = .executed(try state.value(commands))
    case 2: outcome = .failed(reason: try checkedReason())
    case 3: outcome = .expired
    case 4: outcome = .superseded(hasState ? try state.value(commands) : nil)
    case 5:
      guard !reason.isEmpty else { throw WireError("a command under way that waits for nothing") }
      outcome = .underWay(waitsFor: try checkedReason())
    default: throw WireError("outcome \(self.outcome)")
    }
    return CommandReceipt(commandID: id, outcome: outcome, at: at)
  }

  private mutating func tell(_ told: ToldSentence) {
    reason = TextRule.reason.cleaned(told.english)
    if let phrase = ToldSentence(english: reason, phrase: told.phrase).phrase { self.phrase = .init(phrase) }
  }

  /// Returns the reason.
  ///
  /// A phrase that is not valid is ignored, since the sentence says the same.
  private func checkedReason() throws(WireError) -> ToldSentence {
    if let fault = TextRule.reason.fault(in: reason) { throw WireError(fault) }
    return ToldSentence(english: reason, phrase: hasPhrase ? phrase.value() : nil)
  }
}

extension Latchkey_V1_State {
  init(_ value: StateInForce) {
    self.init()
    kind = value.kind.rawValue
    state = WireBytes(value.value.bytes)
  }

  func value(_ commands: CommandRegistry) throws(WireError) -> StateInForce {
    do { return try commands.state(kind, state.array) } catch { throw WireError(error.description) }
  }
}

extension Latchkey_V1_Phrase {
  /// Creates the message of a phrase that is within the bounds of messages.
  init(_ phrase: Phrase) {
    self.init()
    text = phrase.text
    if let plural = phrase.plural {
      other = plural.other
      count = Int64(plural.count)
    }
    arguments = phrase.arguments.sorted { $0.key < $1.key }.map { name, value in
      var argument = Argument()
      argument.name = name
      switch value {
      case .text(let text): argument.text = text
      case .number(let number): argument.number = Int64(number)
      case .phrase(let phrase): argument.phrase = .init(phrase)
      // No message may carry a list.
      case .list: break
      }
      return argument
    }
  }

  /// Returns the phrase, without a check of its bounds; `nil` if the bytes are no phrase.
  func value() -> Phrase? {
    var values: [String: Phrase.Argument] = [:]
    for argument in arguments {
      let value: Phrase.Argument? =
        switch argument.value {
        case .text(let text): .text(text)
        case .number(let number): .number(Int(number))
        case .phrase(let phrase): phrase.value().map { .phrase($0) }
        case nil: nil
        }
      guard let value, values.updateValue(value, forKey: argument.name) == nil else { return nil }
    }
    guard hasOther else { return count == 0 ? Phrase(text, values) : nil }
    return Phrase(one: text, other: other, count: Int(count), values)
  }
}

extension Latchkey_V1_UsageRecord {
  init(_ record: UsageRecord) {
    self.init()
    recordID = WireBytes(record.recordID.bytes)
    device = WireBytes(record.device.bytes)
    appID = record.appID.text
    displayName = record.displayName
    sessionStart = record.sessionStart
    sessionEnd = record.sessionEnd
    zone = record.zone
    activeMilliseconds = record.activeMilliseconds
    category = record.category.wire
    milliPointsPerMinute = record.milliPointsPerMinute
    earnedMilliPoints = record.earnedMilliPoints
    switch record.evidence {
    case .tracked: evidence = 1
    case .observed: evidence = 2
    case .interrupted: evidence = 3
    }
    sessions = record.sessions > 1 ? UInt32(clamping: record.sessions) : 0
    if let account = record.account { self.account = account }
    if let child = record.child { self.child = WireBytes(child.bytes) }
    if record.householdStart != record.sessionStart { householdStart = record.householdStart }
  }

  func value() throws(WireError) -> UsageRecord {
    guard let id = RecordID(bytes: recordID) else { throw WireError("a record without an ID of 16 bytes") }
    guard let device = DeviceID(bytes: device) else { throw WireError("a device that is no device ID") }
    guard let app = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    let evidence: UsageEvidence
    switch self.evidence {
    case 1: evidence = .tracked
    case 2: evidence = .observed
    case 3: evidence = .interrupted
    default: throw WireError("evidence \(self.evidence)")
    }
    let child = try ChildID(wire: hasChild ? self.child : nil)
    let record = UsageRecord(
      recordID: id, device: device, appID: app, displayName: displayName, sessionStart: sessionStart,
      sessionEnd: sessionEnd, zone: zone, activeMilliseconds: activeMilliseconds,
      category: try AppCategory(wire: category),
      milliPointsPerMinute: milliPointsPerMinute, earnedMilliPoints: earnedMilliPoints, evidence: evidence,
      sessions: max(1, Int64(sessions)), account: hasAccount ? account : nil, child: child,
      householdStart: hasHouseholdStart ? householdStart : nil)
    if let fault = record.fault { throw WireError(fault) }
    return record
  }
}

extension ChildID {
  /// Creates the ID of a child from a field that may be absent.
  init?(wire bytes: WireBytes?) throws(WireError) {
    guard let bytes else { return nil }
    guard let id = ChildID(bytes: bytes) else { throw WireError("a child's ID that has not 16 bytes") }
    self = id
  }
}

extension Latchkey_V1_UsageLoss {
  init(_ loss: UsageLoss) {
    self.init()
    lossID = WireBytes(loss.lossID.bytes)
    device = WireBytes(loss.device.bytes)
    records = UInt64(clamping: loss.records)
    sessions = UInt64(clamping: loss.sessions)
    activeMilliseconds = loss.activeMilliseconds
    earnedMilliPoints = loss.earnedMilliPoints
    firstStart = loss.firstStart
    lastEnd = loss.lastEnd
  }

  func value() throws(WireError) -> UsageLoss {
    guard let id = RecordID(bytes: lossID) else { throw WireError("a loss without an ID of 16 bytes") }
    guard let device = DeviceID(bytes: device) else { throw WireError("a device that is no device ID") }
    let times = HybridTimestamp.walls
    guard times.contains(firstStart), times.contains(lastEnd), firstStart <= lastEnd,
      times.contains(activeMilliseconds),
      times.contains(earnedMilliPoints), records <= UsageRecord.mostSessions, sessions <= UsageRecord.mostSessions
    else { throw WireError("a loss of an impossible time or number") }
    return UsageLoss(
      lossID: id, device: device, records: Int64(clamping: records), sessions: Int64(clamping: sessions),
      activeMilliseconds: activeMilliseconds, earnedMilliPoints: earnedMilliPoints, firstStart: firstStart,
      lastEnd: lastEnd)
  }
}

/// What a receipt says of its command, once the two were compared. Spec: Protocol/06-messages.md §4.
public enum ReceiptVerdict: Hashable, Sendable {
  /// What the command sets is in force, exactly; with the child's word on how far it holds to a rule.
  case inForce(Enforcement?)
  /// Something else holds, which was set later than this command.
  case overtaken(StateInForce)
  /// The child says that it did not do it; one sentence.
  case refused(reason: String)
  case expired
  /// The state in the receipt answers another question than the command asked, or none.
  case contradicts(StateInForce?)

  /// Compares an outcome with the command that it is for.
  public init(_ outcome: CommandReceipt.Outcome, of payload: CommandPayload) {
    switch outcome {
    case .executed(let state): self = payload.isSet(in: state) ? .inForce(state.enforcement) : .contradicts(state)
    case .superseded(let state?): self = payload.isOlder(than: state) ? .overtaken(state) : .contradicts(state)
    case .superseded(nil): self = .contradicts(nil)
    case .failed(let reason): self = .refused(reason: reason)
    case .expired: self = .expired
    }
  }

  /// The status that the command takes.
  public var status: CommandStatus {
    switch self {
    case .inForce: .executed
    case .overtaken: .superseded
    case .refused, .contradicts: .failed
    case .expired: .expired
    }
  }
}

extension StateInForce {
  /// How far the machine holds to the rule that it states.
  var enforcement: Enforcement? {
    if case .app(_, let enforcement) = self { enforcement } else { nil }
  }

  /// When it was set, by the hybrid clock of the device that set it; nil for what is not ordered by one.
  public var setAt: (wall: Int64, counter: UInt32)? {
    switch self {
    case .app(let configuration, _): (configuration.modified.wall, configuration.modified.counter)
    case .appRemoved(_, let modified): modified.map { ($0.wall, $0.counter) }
    case .familySettings(let settings): (settings.version, 0)
    case .report, .messageStored, .unpaired: nil
    }
  }
}

extension CommandPayload {
  /// A Boolean value that indicates whether a state is exactly the one that this command brings about.
  fileprivate func isSet(in state: StateInForce) -> Bool {
    switch (self, state) {
    case (.setApp(let wanted), .app(let held, _)): wanted == held
    case (.removeApp(let id, let modified), .appRemoved(let removed, let at)): id == removed && modified == at
    case (.setFamilySettings(let wanted), .familySettings(let held)): wanted == held
    case (.requestReport, .report), (.message, .messageStored), (.unpair, .unpaired): true
    default: false
    }
  }

  /// A Boolean value that indicates whether a state is of the same thing and was set later than this command.
  fileprivate func isOlder(than state: StateInForce) -> Bool {
    switch (self, state) {
    case (.setApp(let wanted), .app(let held, _)): wanted.appID == held.appID && held.modified > wanted.modified
    case (.setApp(let wanted), .appRemoved(let id, let at?)): wanted.appID == id && at > wanted.modified
    case (.removeApp(let id, let modified?), .app(let held, _)): id == held.appID && held.modified > modified
    case (.removeApp(let id, let modified?), .appRemoved(let removed, let at?)): id == removed && at > modified
    case (.setFamilySettings(let wanted), .familySettings(let held)): held.version > wanted.version
    default: false
    }
  }
}

extension CommandReceipt.Outcome {
  /// What the child says that it holds; nil when it does not say.
  public var state: StateInForce? {
    switch self {
    case .executed(let state): state
    case .superseded(let state): state
    case .failed, .expired: nil
    }
  }
}

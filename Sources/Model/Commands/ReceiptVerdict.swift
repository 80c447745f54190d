/// What a final receipt says of its command, once the two were compared.
///
/// Spec: Protocol/06-messages.md §4.
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

  /// Compares an outcome with the command that it is for; returns `nil` for a note that the command is under way.
  public init?(_ outcome: CommandReceipt.Outcome, of payload: CommandPayload) {
    switch outcome {
    case .executed(let state):
      self = payload.value.isAnswered(by: state) ? .inForce(state.enforcement) : .contradicts(state)
    case .superseded(let state?):
      self = payload.value.isOvertaken(by: state) ? .overtaken(state) : .contradicts(state)
    case .superseded(nil): self = .contradicts(nil)
    case .failed(let reason): self = .refused(reason: reason)
    case .expired: self = .expired
    case .underWay: return nil
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

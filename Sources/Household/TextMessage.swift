import LatchkeyModel
import LatchkeyProtocol

/// A command that delivers a text from a parent to the person at a child's machine.
public struct TextMessage: CommandDefinition {
  public static let kind: CommandKind = "message"
  public static let title = Phrase("a message")
  /// A Boolean value that indicates whether the answer says only that the command was executed.
  public static let hasPlainAnswer = true

  /// The text, 1 to 4,096 bytes of UTF-8.
  public var text: String

  public init(_ text: String) { self.text = text }

  public init(bytes: [UInt8]) throws(BodyFault) {
    text = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_TextMessage(wire: bytes).text }
  }

  public var bytes: [UInt8] { Latchkey_V1_TextMessage.with { $0.text = text }.wireBytes }

  public var fault: String? { TextRule.message.fault(in: text) }

  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    try transaction.keep(
      ReceivedMessage(commandID: command.commandID, author: command.author, text: text, at: transaction.wall))
    return .done(.messageStored)
  }

  public var summary: String { "message “\(text)”" }
  public func result(_ state: StateInForce, on machine: String) -> String {
    "The message is on \(machine), where `latchkey status` shows it."
  }
}

extension StateInForce {
  /// The state of a message that is stored for the person at the machine.
  public static var messageStored: StateInForce { StateInForce(Done()) }
}

extension CommandPayload {
  public static func message(_ text: String) -> CommandPayload { CommandPayload(TextMessage(text)) }
}

extension CommandDraft {
  public static func message(_ text: String) -> CommandDraft { CommandDraft(TextMessage(text), for: TextMessage.self) }
}

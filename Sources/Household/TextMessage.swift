import LatchkeyModel
import LatchkeyProtocol

/// A command that delivers a text from a parent to the person at a child's machine.
public struct TextMessage: CommandDefinition {
  /// The name of the kind on the wire and in the database: `message`.
  public static let kind: CommandKind = "message"

  /// The text, 1 to 4,096 bytes of UTF-8.
  public var text: String

  /// Creates a message from a text, which `fault` checks.
  public init(_ text: String) { self.text = text }

  /// Creates a value from its wire form; throws `BodyFault`, the sender's fault, if the bytes are
  /// malformed.
  public init(bytes: [UInt8]) throws(BodyFault) {
    text = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_TextMessage(wire: bytes).text }
  }

  /// The wire form.
  public var bytes: [UInt8] {
    var message = Latchkey_V1_TextMessage()
    message.text = text
    return message.wireBytes
  }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? { TextRule.message.fault(in: text) }

  /// Executes the command on a child's machine, in the transaction that also queues its receipt.
  public func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    try transaction.keep(
      ReceivedMessage(commandID: command.commandID, author: command.author, text: text, at: transaction.wall))
    return .done(.messageStored)
  }

  /// A phrase that describes the command in a list of commands.
  public var summary: String { "message “\(text)”" }
  /// Returns what holds on the machine after the command, in whole sentences.
  public func result(_ state: StateInForce, on machine: String) -> String {
    "The message is on \(machine), where `latchkey status` shows it."
  }
}

extension StateInForce {
  /// The report that a message is stored for the person at the machine.
  public static var messageStored: StateInForce { StateInForce(Done()) }
}

extension CommandPayload {
  public static func message(_ text: String) -> CommandPayload { CommandPayload(TextMessage(text)) }
}

extension CommandDraft {
  public static func message(_ text: String) -> CommandDraft { CommandDraft(TextMessage(text), for: TextMessage.self) }
}

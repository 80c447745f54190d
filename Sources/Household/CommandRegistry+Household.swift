import FoundationEssentials
import LatchkeyModel
import LatchkeyProtocol

extension CommandRegistry {
  /// The registry of all kinds of command in this version.
  public static let household = CommandRegistry(household: [])

  /// Creates a registry of the kinds in this version and of additional ones, which only tests
  /// define.
  public init(household others: [any CommandDefinition.Type]) {
    self.init(
      [
        RequestReport.self,
        TextMessage.self,
        Edit.self,
        TakePoints.self,
        ReviewLearning.self,
        ScanApplications.self,
      ] + others)
  }

  /// Returns a JSON decoder for the commands and states of these kinds.
  public func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.userInfo[.commands] = self
    return decoder
  }
}

extension MessageBodyCoding {
  /// Creates a coding for the kinds of command in this version.
  public init() { self.init(.household, .household) }

  /// Creates a coding for kinds of command, and for the kinds of fact in this version.
  public init(_ commands: CommandRegistry) { self.init(commands, .household) }
}

import FoundationEssentials
import LatchkeyModel
import LatchkeyWire

extension CommandRegistry {
  /// The kinds of command that this version knows.
  public static let household = CommandRegistry(household: [])

  /// Creates a registry of the kinds that this version knows and of others, which tests make up.
  public init(household others: [any CommandDefinition.Type]) {
    self.init(
      [
        SetApp.self,
        RemoveApp.self,
        SetFamilySettings.self,
        RequestReport.self,
        TextMessage.self,
        GrantTime.self,
        Edit.self,
      ] + others)
  }

  /// Returns a JSON decoder that reads the commands and states of these kinds.
  public func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.userInfo[.commands] = self
    return decoder
  }
}

extension MessageBodyCoding {
  /// Creates a coding that knows the kinds of command of this version.
  public init() { self.init(.household) }
}

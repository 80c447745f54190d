/// The settings of the whole family that hold, as the local API shows them.
///
/// Which there are, and their names, is said by the table of rules.
///
/// Spec: Protocol/11-rules.md §1, §2.
public struct FamilySettings: Hashable, Sendable {
  /// The value of a setting, as its rule is written.
  public enum Value: Hashable, Sendable {
    case number(Int64)
    case text(String)
  }

  /// The values by the names of the settings; one without a value is left out.
  public var values: [String: Value]

  public init(_ values: [String: Value]) { self.values = values }
}

extension FamilySettings: Codable {
  public init(from decoder: any Decoder) throws {
    values = try decoder.singleValueContainer().decode([String: Value].self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(values)
  }
}

extension FamilySettings.Value: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

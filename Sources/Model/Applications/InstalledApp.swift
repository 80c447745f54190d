/// An application that a child's machine has found on itself.
///
/// Spec: Protocol/10-household.md §5.
public struct InstalledApp: Hashable, Sendable, Codable {
  public var appID: AppID
  /// The name for people, a *line* of 1 to 255 bytes.
  public var name: String
  /// The version, a *line* of at most 64 bytes; empty if it is unknown.
  public var version: String
  /// The category that suggests itself; `nil` for none.
  public var suggestion: AppCategory?

  public init(appID: AppID, name: String, version: String = "", suggestion: AppCategory? = nil) {
    self.appID = appID
    self.name = name
    self.version = version
    self.suggestion = suggestion
  }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? { TextRule.displayName.fault(in: name) ?? TextRule.appVersion.fault(in: version) }
}

extension InstalledApp: InventoryEntry {
  package static let inventory = InventoryKind(
    "installed", most: Limits.installedApps, parts: Limits.inventoryParts)

  package var lines: [String] { [appID.text, name, version, suggestion?.rawValue ?? ""] }

  package init?(lines: [String]) {
    guard lines.count == 4, let appID = AppID(lines[0]) else { return nil }
    self.init(appID: appID, name: lines[1], version: lines[2], suggestion: AppCategory(rawValue: lines[3]))
  }
}

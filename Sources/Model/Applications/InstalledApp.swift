/// An application that a child's machine has found on itself.
///
/// Spec: Protocol/10-household.md §5.
public struct InstalledApp: Hashable, Sendable, Codable {
  /// The application's ID.
  public var appID: AppID
  /// The name for people, a *line* of 1 to 255 bytes.
  public var name: String
  /// The version, a *line* of at most 64 bytes; empty if it is unknown.
  public var version: String
  /// The category that suggests itself; `nil` for none.
  public var suggestion: AppCategory?

  /// Creates an application.
  public init(appID: AppID, name: String, version: String = "", suggestion: AppCategory? = nil) {
    self.appID = appID
    self.name = name
    self.version = version
    self.suggestion = suggestion
  }

  /// A sentence that describes the first invalid value; `nil` if all are valid.
  public var fault: String? { TextRule.displayName.fault(in: name) ?? TextRule.appVersion.fault(in: version) }

  /// The number of bytes for which it counts in an item.
  public var size: Int { appID.text.utf8.count + name.utf8.count + version.utf8.count + 16 }

  /// The largest number of bytes for which one can count.
  static let largestSize = 2 * Limits.appIDBytes + Limits.nameBytes + 16
}

/// The applications that a machine has found on itself.
public struct InstalledList: Hashable, Sendable {
  /// The applications, in the order of their IDs, each ID once.
  public let apps: [InstalledApp]
  /// The number of applications that were found beyond those.
  public let more: Int

  /// Creates a list of applications, those first that are to be kept if there are too many.
  ///
  /// Of several with one ID the first counts. `more` are those that were not looked at.
  public init(_ found: some Sequence<InstalledApp>, more: Int = 0) {
    var kept: [AppID: InstalledApp] = [:]
    var (bytes, left) = (0, more)
    // So that the items that carry them are never too many: each is filled up to the size of one application.
    let most = Limits.installedParts * (Limits.installedBytes - InstalledApp.largestSize)
    for app in found where kept[app.appID] == nil {
      guard kept.count < Limits.installedApps, bytes + app.size <= most else {
        left += 1
        continue
      }
      kept[app.appID] = app
      bytes += app.size
    }
    apps = kept.values.sorted { $0.appID < $1.appID }
    self.more = left
  }

  /// Returns the list in parts, of which each fits one item.
  public func parts(number: UInt64) -> [InstalledPart] {
    var parts: [[InstalledApp]] = [[]]
    var bytes = 0
    for app in apps {
      if bytes + app.size > Limits.installedBytes {
        parts.append([])
        bytes = 0
      }
      parts[parts.count - 1].append(app)
      bytes += app.size
    }
    return parts.enumerated().map {
      InstalledPart(number: number, part: $0.offset, parts: parts.count, more: more, apps: $0.element)
    }
  }
}

/// One part of the list of applications that a machine has found on itself.
public struct InstalledPart: Hashable, Sendable {
  /// Counts the lists of the machine.
  public var number: UInt64
  /// The place of this part in the list, from 0.
  public var part: Int
  /// The number of parts of the list, 1 to 8.
  public var parts: Int
  /// The number of applications that were found beyond those of the list.
  public var more: Int
  /// The applications of this part.
  public var apps: [InstalledApp]

  /// Creates a part.
  public init(number: UInt64, part: Int, parts: Int, more: Int, apps: [InstalledApp]) {
    self.number = number
    self.part = part
    self.parts = parts
    self.more = more
    self.apps = apps
  }
}

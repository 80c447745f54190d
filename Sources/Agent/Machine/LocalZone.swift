import Foundation

/// The time zone this machine is set to.
public enum LocalZone {
  /// Find the zone's IANA name, such as `Europe/Berlin`; `UTC` when nothing names a known one.
  ///
  /// Asked in this order: the variable TZ, /etc/timezone, and where /etc/localtime leads.
  public static func name() -> String {
    name(variable: ProcessInfo.processInfo.environment["TZ"], etc: "/etc")
  }

  static func name(variable: String?, etc: String) -> String {
    let written = try? String(contentsOfFile: "\(etc)/timezone", encoding: .utf8)
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(etc)/localtime")
    for candidate in [variable.map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }, written, link] {
      if let candidate, let name = known(candidate) { return name }
    }
    return "UTC"
  }

  /// The zone a name or a path into a zoneinfo folder means, if there is such a one.
  private static func known(_ text: String) -> String? {
    var name = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let folder = name.range(of: "zoneinfo/", options: .backwards) { name = String(name[folder.upperBound...]) }
    for variant in ["posix/", "right/"] where name.hasPrefix(variant) { name = String(name.dropFirst(variant.count)) }
    return TimeZone(identifier: name) == nil ? nil : name
  }
}

import Foundation

/// The time zone of this machine.
public enum LocalZone {
  /// Returns the zone's IANA name, such as `Europe/Berlin`; `UTC` if no known zone is set.
  ///
  /// The sources, in this order, are the variable TZ, /etc/timezone, and the target of
  /// /etc/localtime.
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

  /// Returns the zone that a name or a path into a zoneinfo folder denotes, if it is known.
  private static func known(_ text: String) -> String? {
    var name = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let folder = name.range(of: "zoneinfo/", options: .backwards) { name = String(name[folder.upperBound...]) }
    for variant in ["posix/", "right/"] where name.hasPrefix(variant) { name = String(name.dropFirst(variant.count)) }
    return TimeZone(identifier: name) == nil ? nil : name
  }
}

import Foundation
import Testing

@testable import LatchkeyNode

@Suite struct LocalZoneTests {
  @Test(
    arguments: [
      ("America/New_York", "Europe/Berlin\n", "Asia/Tokyo", "America/New_York"),
      (":America/New_York", nil, nil, "America/New_York"),
      (":/usr/share/zoneinfo/America/Lima", nil, nil, "America/Lima"),
      ("EST5EDT4,M3.2.0,M11.1.0", "Europe/Berlin\n", nil, "Europe/Berlin"), ("", "Europe/Berlin", nil, "Europe/Berlin"),
      (nil, "Europe/Berlin\n", "Asia/Tokyo", "Europe/Berlin"), (nil, "Europe/Nowhere", "Asia/Tokyo", "Asia/Tokyo"),
      (nil, nil, "posix/Asia/Tokyo", "Asia/Tokyo"), (nil, nil, "Nowhere", "UTC"), (nil, nil, nil, "UTC"),
    ] as [(String?, String?, String?, String)])
  func theZoneIsFound(variable: String?, file: String?, link: String?, name: String) throws {
    let etc = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: etc, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: etc) }
    if let file { try Data(file.utf8).write(to: etc.appending(path: "timezone")) }
    if let link {
      try FileManager.default.createSymbolicLink(
        atPath: etc.appending(path: "localtime").path, withDestinationPath: "/usr/share/zoneinfo/\(link)")
    }
    #expect(LocalZone.name(variable: variable, etc: etc.path) == name)
  }
}

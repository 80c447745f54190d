import Foundation
import LatchkeyModel
import Testing

/// Tests that the software, the specification and its list of changes state the same versions.
@Suite struct VersionTests {
  private func page(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "Protocol/\(name)"), encoding: .utf8)
  }

  @Test func theNewestChangeIsOfThisVersion() throws {
    let headings = try page("CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
    #expect(headings.first == "## \(Version.software)")
    #expect(Set(headings).count == headings.count)
  }

  @Test func theSpecificationIsOfThisVersion() throws {
    let newest = Version.protocolRange.upperBound
    #expect(
      try page("00-index.md")
        .contains("This text is version \(Version.software) and describes protocol version \(newest);"))
    #expect(try page("01-overview.md").contains("| least \(Version.protocolRange.lowerBound), greatest \(newest) |"))
  }
}

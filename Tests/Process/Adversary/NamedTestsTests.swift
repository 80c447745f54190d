import Foundation
import Testing

/// Tests that the specification's pages on attackers name tests that exist.
@Suite struct NamedTestsTests {
  private static let package: URL = {
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return package
  }()

  /// Every suite with the functions of its file.
  private static func suites() throws -> [String: Set<String>] {
    var suites: [String: Set<String>] = [:]
    let tests = package.appendingPathComponent("Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.lastPathComponent.hasSuffix("Tests.swift") else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      let functions = Set(text.matches(of: /func (\w+)/).map { String($0.1) })
      for suite in text.matches(of: /(?:struct|enum|class) (\w+(?:Tests|AsRoot))\b/) {
        suites[String(suite.1), default: []].formUnion(functions)
      }
    }
    return suites
  }

  /// Returns a page of the specification, or the section of it whose heading begins with a text.
  private static func page(_ name: String, _ heading: String?) throws -> Substring {
    let text = try String(contentsOf: package.appendingPathComponent("Protocol/\(name)"), encoding: .utf8)
    guard let heading else { return text[...] }
    let start = try #require(text.range(of: "\n\(heading)"), "\(name) has the section")
    let rest = text[start.upperBound...]
    return rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
  }

  @Test(
    "Every test that the pages about attacks name exists",
    arguments: [("threat-model.md", nil), ("known-attacks.md", nil), ("13-agent.md", "## 11.")])
  func exist(page: String, heading: String?) throws {
    let suites = try Self.suites()
    let text = try Self.page(page, heading)
    let names = text.matches(of: /`(\w+(?:Tests|AsRoot))(?:\.(\w+))?`/)
    #expect(names.count > 20, "the page names its tests")
    for name in names {
      let functions = suites[String(name.1)]
      #expect(functions != nil, "\(page): there is no \(name.0)")
      if let function = name.2 {
        #expect(functions?.contains(String(function)) == true, "\(page): there is no \(name.0)")
      }
    }
    for path in text.matches(of: /`(Tests\/[\w\/.]+)`/) {
      let file = Self.package.appendingPathComponent(String(path.1)).path
      #expect(FileManager.default.fileExists(atPath: file), "\(page): there is no \(path.1)")
    }
    #expect(text.firstMatch(of: /`\.\w+`/) == nil, "a test is named with its suite, so that it can be looked for")
  }

  @Test("Each way around the agent has a test")
  func rows() throws {
    let rows = try Self.page("13-agent.md", "## 11.").split(separator: "\n").filter {
      $0.prefixMatch(of: /\| \d/) != nil
    }
    #expect(rows.count > 20)
    for row in rows {
      let last = row.split(separator: "|").last ?? ""
      #expect(last.contains(/`(\w+(Tests|AsRoot)|Tests\/)/), "this row names none: \(row)")
    }
  }
}

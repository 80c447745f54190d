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
      for suite in text.matches(of: /(?:struct|enum|class) (\w+Tests)\b/) {
        suites[String(suite.1), default: []].formUnion(functions)
      }
    }
    return suites
  }

  @Test("Every test that the pages about attacks name exists", arguments: ["threat-model.md", "known-attacks.md"])
  func exist(page: String) throws {
    let suites = try Self.suites()
    let text = try String(contentsOf: Self.package.appendingPathComponent("Protocol/\(page)"), encoding: .utf8)
    let names = text.matches(of: /`(\w+Tests)(?:\.(\w+))?`/)
    #expect(names.count > 20, "the page names its tests")
    for name in names {
      let functions = suites[String(name.1)]
      #expect(functions != nil, "\(page): there is no \(name.0)")
      if let function = name.2 {
        #expect(functions?.contains(String(function)) == true, "\(page): there is no \(name.0)")
      }
    }
    #expect(text.firstMatch(of: /`\.\w+`/) == nil, "a test is named with its suite, so that it can be looked for")
  }
}

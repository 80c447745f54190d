import Foundation
import Testing

/// Tests that the specification's pages on attackers name tests that exist.
@Suite struct NamedTestsTests {
  private static let package: URL = {
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return package
  }()

  /// Every suite with the functions of its files.
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

  /// The pages about attacks, with the least number of tests that each names.
  private static let pages = [("threat-model.md", 20), ("known-attacks.md", 20), ("13-agent.md", 40)]

  @Test("Every test that the pages about attacks name exists", arguments: pages)
  func exist(page: String, least: Int) throws {
    let suites = try Self.suites()
    let text = try String(contentsOf: Self.package.appendingPathComponent("Protocol/\(page)"), encoding: .utf8)
    let names = text.matches(of: /`(\w+(?:Tests|AsRoot))(?:\.(\w+))?`/)
    let paths = text.matches(of: /`(Tests\/[\w\/.-]+)`/)
    #expect(names.count + paths.count >= least, "the page names its tests")
    for name in names {
      let functions = suites[String(name.1)]
      #expect(functions != nil, "\(page): there is no \(name.0)")
      if let function = name.2 {
        #expect(functions?.contains(String(function)) == true, "\(page): there is no \(name.0)")
      }
    }
    for path in paths {
      let file = Self.package.appendingPathComponent(String(path.1))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page): there is no \(path.0)")
    }
    for row in text.split(separator: "\n") where row.hasPrefix("|") {
      #expect(row.firstMatch(of: /`\.\w+`/) == nil, "a test is named with its suite, so that it can be looked for")
    }
  }

  @Test("Every way around the agent names what shows what happens, or says that nothing does")
  func ways() throws {
    let page = Self.package.appendingPathComponent("Protocol/13-agent.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    let section = lines.drop { !$0.hasPrefix("## 11. ") }.dropFirst().prefix { !$0.hasPrefix("## ") }
    let ways = section.filter { $0.firstMatch(of: /^\| \d+ \|/) != nil }
    #expect(ways.count >= 30)
    for way in ways {
      let test = way.dropLast().split(separator: "|", omittingEmptySubsequences: false).last ?? ""
      #expect(test.contains("`") || test.contains("no test: "), "\(way)")
    }
  }
}

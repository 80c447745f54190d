import Foundation
import LatchkeyModel
import Testing

/// Tests that the categories of well-known applications are the same here and in the specification.
@Suite struct DefaultCategoryTests {
  @Test("The list is that of Protocol/11-rules.md, in which each application stands once")
  func specified() throws {
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let page = try String(contentsOf: package.appendingPathComponent("Protocol/11-rules.md"), encoding: .utf8)
    var listed: [String: String] = [:]
    var count = 0
    for line in page.split(separator: "\n") {
      // Such as “| 1 | `geogebra` | GeoGebra | geogebra | learning |”.
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5, let number = Int(cells[0]), cells[1].hasPrefix("`"),
        AppCategory(rawValue: cells[4]) != nil
      else { continue }
      count += 1
      #expect(number == count, "The rows are numbered.")
      listed[cells[1].filter { $0 != "`" }] = cells[4]
    }
    #expect(count == listed.count)
    let here = DefaultCategory.all.map { ($0.key.text, $0.value.rawValue) }
    #expect(Dictionary(here) { first, _ in first } == listed)
  }
}

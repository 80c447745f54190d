import Foundation
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@Suite struct DeviceNameTests {
  @Test(arguments: ["Emma's PC", "Kitchen laptop", "Žofie", "漢字", "🦉", "x", String(repeating: "x", count: 64)])
  func namesOfPeopleAreTaken(text: String) throws {
    #expect(try DeviceName(text).text == text)
  }

  @Test func spacesAtTheEndsAreDropped() throws {
    #expect(try DeviceName("  Emma's PC ").text == "Emma's PC")
  }

  @Test(
    arguments: [
      ("", .empty), ("   ", .empty), ("a\nb", .unprintable), ("a\tb", .unprintable), ("\u{1B}[2J", .unprintable),
      ("a\u{0}b", .unprintable), ("abc\u{202E}fdp", .unprintable), ("a\u{200B}b", .unprintable),
      ("a\u{2028}b", .unprintable),
      ("a\u{E000}b", .unprintable), ("a\u{85}b", .unprintable), ("a\u{FEFF}", .unprintable),
      (String(repeating: "x", count: 65), .tooLong(bytes: 65)),
      (String(repeating: "ä", count: 33), .tooLong(bytes: 66)),
    ] as [(String, DeviceNameError)])
  func othersAreRefusedWithTheFault(text: String, error: DeviceNameError) {
    #expect(throws: error) { try DeviceName(text) }
    #expect(error.description.contains(": "), "a fault, then the next step")
  }

  @Test(arguments: [
    ("Emma", "Emma"), ("", "unnamed"), ("  ", "unnamed"), ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"),
    (" a\u{202E} ", "a\u{FFFD}"),
    (String(repeating: "ä", count: 40), String(repeating: "ä", count: 32)),
    (String(repeating: "x", count: 63) + "ä", String(repeating: "x", count: 63)),
    (String(repeating: "x", count: 60) + "    y", String(repeating: "x", count: 60)),
  ])
  func whatAPeerSentIsMadeSafe(text: String, safe: String) {
    #expect(DeviceName(sanitising: text).text == safe)
  }

  @Test func whatWasMadeSafeIsAName() throws {
    var random = SeededRandom()
    for _ in 0..<2_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<random.below(40) {
        let value = random.pick([
          UInt32(random.below(0x80)), UInt32(random.below(0x3000)), UInt32(random.below(0x11_0000)),
        ])
        if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
      }
      let safe = DeviceName(sanitising: String(scalars))
      #expect(try DeviceName(safe.text) == safe, "\(Array(scalars.map(\.value))) \(random.note)")
    }
  }

  @Test func aNameFromAFileIsMadeSafeToo() throws {
    let names = try JSONDecoder().decode([DeviceName].self, from: Data(#"["Emma", "a\u0007b", ""]"#.utf8))
    #expect(names.map(\.text) == ["Emma", "a\u{FFFD}b", "unnamed"])
    #expect(String(decoding: try JSONEncoder().encode(names), as: UTF8.self) == "[\"Emma\",\"a\u{FFFD}b\",\"unnamed\"]")
  }
}

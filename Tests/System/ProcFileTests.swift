import Foundation
import LatchkeySystem
import Testing

/// Tests of reading small files.
@Suite struct ProcFileTests {
  @Test("A file is read whole or up to the given number of bytes, whatever room it takes")
  func rooms() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for size in [0, 1, 16_383, 16_384, 16_385, 65_536, 100_000] {
      let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
      try Data(content).write(to: URL(fileURLWithPath: path))
      for most in [0, 1, 16_384, 16_385, 65_536, 99_999, 1 << 20] {
        #expect(ProcFile.read(path, most: most) == Array(content.prefix(most)), "\(most) of \(size)")
      }
      #expect(ProcFile.line(path, most: 1_000) == Array(content.prefix(1_000)))
    }
    #expect(ProcFile.read(path + "-none") == nil)
    // The kernel makes this file while it is read, and states no size.
    #expect(ProcFile.read("/proc/self/maps", most: 1 << 20).map { $0.count > 1_000 } == true)
  }
}

import Glibc
import Testing

@testable import LatchkeySystem

@Suite("Memory that is given back")
struct ResidentMemoryTests {
  /// Returns the kilobytes of this process's code that are resident.
  private func code() throws -> Int {
    let bytes = try #require(ProcFile.read("/proc/self/smaps", most: 16 << 20))
    var (sum, isCode) = (0, false)
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count >= 5, words[1].count == 4 { isCode = words[1] == "r-xp" && words[4] != "0" }
      if isCode, words.first == "Rss:", words.count >= 2 { sum += try #require(Int(words[1])) }
    }
    return sum
  }

  @Test("Code that does not run is not resident, and runs again all the same")
  func released() throws {
    let before = try code()
    ResidentMemory.release()
    let after = try code()
    #expect(after < before / 2, "\(before) kB before, \(after) kB after")
    #expect((1...100).map { String($0) }.joined().count == 192)
  }
}

import LatchkeyTestSupport
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of patterns for arguments: Protocol/13-agent.md §8.
@Suite struct ArgumentPatternTests {
  /// Returns whether a pattern matches somewhere, step by step as the specification says it.
  private func reference(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var reached: Set<Int> = [0]
    func passStars() {
      for place in pattern.indices where reached.contains(place) && pattern[place] == 0x2A { reached.insert(place + 1) }
    }
    passStars()
    for byte in text {
      // It may begin anywhere, and what follows its end is of no interest.
      var next: Set<Int> = reached.contains(pattern.count) ? [0, pattern.count] : [0]
      for place in reached where place < pattern.count {
        if pattern[place] == 0x2A { next.insert(place) }
        if pattern[place] == 0x3F || pattern[place] == byte { next.insert(place + 1) }
      }
      reached = next
      passStars()
    }
    return reached.contains(pattern.count)
  }

  @Test("Patterns match as the specification says, whatever they and the arguments are")
  func randomPatterns() throws {
    var random = SeededRandom()
    for _ in 0..<3_000 {
      // Few different letters, so that much of it matches; some are longer than a word of bits.
      let middle = String(
        (0..<Int.random(in: 0...80, using: &random)).map { _ in "aaab*?".randomElement(using: &random)! })
      let text = "abab" + middle
      let line = String(
        (0..<Int.random(in: 0...200, using: &random)).map { _ in "aaaab".randomElement(using: &random)! })
      let pattern = try #require(ArgumentPattern(text))
      #expect(
        pattern.matches(line) == reference(Array(text.utf8), Array(line.utf8)), "\(text) in \(line), \(random.note)")
    }
  }

  @Test("A long pattern takes no long time in long arguments that nearly match everywhere")
  func time() throws {
    let line = String(repeating: "a", count: 131_072)
    // Tried at every place, these would take some hundred million steps.
    for text in [String(repeating: "a", count: 1_020) + "bbbb", String(repeating: "a?", count: 500) + "bbbb"] {
      #expect(try !#require(ArgumentPattern(text)).matches(line))
    }
    #expect(try !#require(ArgumentPattern(String(repeating: "a*", count: 500) + "bbbb")).matches(line))
    #expect(try #require(ArgumentPattern(String(repeating: "a", count: 1_020) + "*aaaa")).matches(line))
  }
}

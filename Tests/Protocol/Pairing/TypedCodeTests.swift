import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests of the short code as text: valid codes, and the faults of invalid ones.
@Suite struct TypedCodeTests {
  private func fault(_ text: String) -> PairingCodeError? {
    do {
      _ = try PairingCredential(text)
      return nil
    } catch { return error }
  }

  private func typed(_ text: String) throws -> TypedCode {
    guard case .typed(let code) = try PairingCredential(text) else { throw PairingCodeError.foreign }
    return code
  }

  @Test func everyCodeIsReadAsItIsWritten() throws {
    var random = SeededRandom()
    for _ in 0..<2_000 {
      let code = Samples.typedCode(&random)
      let text = code.text
      #expect(text.utf8.count == 11 && text.hasPrefix(code.prefix), "\(random.note)")
      let look = text.replacing("0", with: "o").replacing("1", with: random.once(in: 2) ? "l" : "I")
      for spelling in [text, text.lowercased(), text.replacing("-", with: ""), " \(text)\n", look] {
        let read = try typed(spelling)
        #expect(
          read.discriminator == code.discriminator && read.secret == code.secret, "\(spelling), \(random.note)")
      }
    }
  }

  /// The check symbol finds every wrong symbol, and nearly every pair of neighbours in the wrong
  /// order.
  @Test func typingErrorsAreFound() throws {
    var random = SeededRandom()
    let symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    var swaps = (found: 0, all: 0)
    for _ in 0..<40 {
      let right = Array(Samples.typedCode(&random).text.filter { $0 != "-" })
      for index in right.indices {
        for symbol in symbols where symbol != right[index] {
          var wrong = right
          wrong[index] = symbol
          #expect(fault(String(wrong)) == .mistyped)
        }
        guard index > 0, right[index] != right[index - 1] else { continue }
        var swapped = right
        swapped.swapAt(index, index - 1)
        swaps.all += 1
        if fault(String(swapped)) == .mistyped { swaps.found += 1 }
      }
    }
    #expect(swaps.found * 100 >= swaps.all * 99, "\(swaps)")
  }

  @Test(arguments: [
    ("", PairingCodeError.empty), (" - ", .empty), ("N5-7Q2MN-4", .length(symbols: 8)),
    ("N5-7Q2MN-433", .length(symbols: 10)), ("N5-7Q2MN-4U", .mistyped), ("N5-7Q2MN-44", .mistyped),
    ("N5-7Q2MN-4é", .mistyped), ("N5-7Q2MN-e\u{301}", .mistyped), ("LK1QY-QQ9", .truncated(characters: 8)),
    ("LK1QY-QQ9FG-95ZS6", .truncated(characters: 15)), ("https://example.org", .foreign),
  ])
  func whatIsNoCodeIsNamed(text: String, expected: PairingCodeError) {
    let found = fault(text)
    #expect(found == expected)
    #expect(found?.description.hasSuffix(".") == true)
  }

  @Test func theTwoFormsAreToldApart() throws {
    var random = SeededRandom()
    for _ in 0..<200 {
      let pasted = Samples.code(of: Samples.party(.parent, name: "P", &random), &random)
      guard case .pasted(let read) = try PairingCredential(pasted.text) else {
        Issue.record("a pasted code was taken for a typed one, \(random.note)")
        continue
      }
      #expect(read.secret == pasted.secret && read.discriminator == pasted.discriminator)
    }
  }
}

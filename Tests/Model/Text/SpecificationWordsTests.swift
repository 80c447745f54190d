import Foundation
import LatchkeyModel
import Testing

/// The words that programs read in the local API are those of the specification.
@Suite struct SpecificationWordsTests {
  /// A set of words, and the page that has to name each of them.
  struct Words: CustomTestStringConvertible {
    let testDescription: String
    let page: String
    let words: [String]

    init<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type, _ page: String) {
      testDescription = "\(type)"
      self.page = page
      words = type.allCases.map(\.rawValue)
    }
  }

  static let all = [
    Words(DiscoveryBackend.self, "07-local-api"), Words(AddressSource.self, "07-local-api"),
    Words(PeerMark.self, "07-local-api"), Words(DiskStatus.State.self, "07-local-api"),
    Words(LocalAPIError.Code.self, "07-local-api"), Words(UsageDoubt.self, "07-local-api"),
    Words(DeviceRole.self, "07-local-api"), Words(AppCategory.self, "07-local-api"),
    Words(AppMatcher.Kind.self, "07-local-api"), Words(CommandStatus.self, "06-messages"),
    Words(PairingOutcome.self, "03-pairing"), Words(DeliveryFate.self, "05-delivery"),
  ]

  @Test(arguments: all) func everyWordIsInItsPage(words: Words) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent("Protocol/\(words.page).md"), encoding: .utf8)
    for word in words.words {
      let isNamed = ["`\(word)`", "\"\(word)\"", "*\(word)*"].contains { page.contains($0) }
      #expect(isNamed, "\(words.page).md does not name “\(word)”")
    }
  }
}

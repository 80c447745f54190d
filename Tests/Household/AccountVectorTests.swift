import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests with the results of an independent implementation: Protocol/vectors/accounts.json.
@Suite struct AccountVectorTests {
  private struct File: Decodable {
    struct List: Decodable {
      let body: String
      /// The accounts; `nil` if the body is malformed.
      let accounts: [Account]?
    }
    let lists: [List]
  }

  private let file: File

  init() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let bytes = try Data(contentsOf: folder.appendingPathComponent("Protocol/vectors/accounts.json"))
    file = try JSONDecoder().decode(File.self, from: bytes)
  }

  @Test("Lists of accounts are read and written as the other implementation does, and malformed ones are refused")
  func lists() throws {
    let coding = MessageBodyCoding()
    #expect(file.lists.count { $0.accounts != nil } == 4 && file.lists.count > 10)
    for list in file.lists {
      let body = try #require(Hexadecimal.decode(list.body))
      guard let accounts = list.accounts else {
        #expect(throws: BodyFault.self, "\(list.body.prefix(80))") { try coding.accounts(body) }
        continue
      }
      #expect(try coding.accounts(body) == accounts)
      #expect(coding.encode(accounts) == body)
    }
  }
}

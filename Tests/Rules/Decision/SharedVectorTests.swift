import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyRules

/// Tests with the results of an independent implementation: Protocol/vectors/shared.json.
@Suite struct SharedVectorTests {
  private struct File: Decodable {
    struct Owners: Decodable {
      let value: String
      let children: [String]?
    }
    struct Wait: Decodable {
      let count: Int
      let boot: String
      let last, now, wait: Int64
    }
    struct Said: Decodable {
      let place: Int?
      let allowed: Bool
      let until: Int64?
      let category: AppCategory?
    }
    struct Verdicts: Decodable {
      let verdicts: [Said]
      let strictest: Said
      let mildest: Said
    }
    let owners: [Owners]
    let waits: [Wait]
    let verdicts: [Verdicts]
  }

  private let file: File

  init() throws {
    let url = URL(filePath: #filePath).appending(path: "../../../../Protocol/vectors/shared.json").standardized
    file = try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
  }

  @Test("The register of an account names the children who share it")
  func owners() {
    #expect(!file.owners.isEmpty)
    for one in file.owners {
      let read = AccountOwners(one.value)
      #expect(read?.children.map(\.description) == one.children, "\(one.value)")
      if let read { #expect(read.text == one.value) }
    }
  }

  @Test("After wrong PINs, the next one waits")
  func waits() {
    #expect(!file.waits.isEmpty)
    for one in file.waits {
      let wrong = WrongPINs(count: one.count, bootID: "a", last: BootInstant(milliseconds: one.last))
      #expect(wrong.wait(in: one.boot, at: BootInstant(milliseconds: one.now)) == one.wait, "\(one)")
    }
  }

  @Test("While nobody is named, programs have the strictest verdict, and sessions the mildest")
  func verdicts() throws {
    #expect(!file.verdicts.isEmpty)
    for one in file.verdicts {
      let verdicts = one.verdicts.map { said in
        Verdict(
          category: said.category ?? .neutral, isAllowed: said.allowed, reason: .dailyLimit,
          until: said.until.map { BootInstant(milliseconds: $0) }, decidedAt: BootInstant(milliseconds: 1_000_000))
      }
      let strictest = try #require(SharedVerdict(strictest: verdicts))
      expect(strictest, one.strictest)
      #expect(strictest.verdict.category == one.strictest.category)
      expect(try #require(SharedVerdict(mildest: verdicts)), one.mildest)
    }
  }

  private func expect(_ shared: SharedVerdict, _ said: File.Said) {
    #expect(shared.place == said.place && shared.verdict.isAllowed == said.allowed)
    #expect(shared.verdict.until?.milliseconds == said.until)
  }
}

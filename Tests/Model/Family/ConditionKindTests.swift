import Foundation
import LatchkeyModel
import Testing

/// Tests of the words for conditions: Protocol/10-household.md §6.
@Suite struct ConditionKindTests {
  @Test("Every kind is listed in the specification, which lists no other one")
  func specified() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent("Protocol/10-household.md"), encoding: .utf8)
    let section = page[try #require(page.range(of: "\n## 6. Conditions\n")).upperBound...]
    let table = section.components(separatedBy: "| name | account | detail | meaning |").dropFirst().first
    let rows = try #require(table).components(separatedBy: "\n\n")[0].components(separatedBy: "\n")
    let names = rows.flatMap { row in
      row.components(separatedBy: " | ")[0].components(separatedBy: "`").enumerated()
        .compactMap { $0.offset % 2 == 1 ? $0.element : nil }
    }
    #expect(names.count == Set(names).count && !names.isEmpty)
    #expect(Set(names) == Set(ConditionKind.all.map(\.name)))
    #expect(Set(names).count == ConditionKind.all.count)
  }

  @Test("No sentence keeps a name in braces, whatever is known", arguments: ConditionKind.all)
  func filled(kind: ConditionKind) {
    for (account, detail) in [("emma", "kart"), ("", ""), ("{detail}", "{app}")] {
      let words = kind.words(on: "“Emma's PC”", account: account, detail: detail)
      for text in [words.sentence, words.next] {
        #expect(account.hasPrefix("{") || !text.contains("{"), "\(text)")
        #expect(text.hasSuffix("."), "\(text)")
      }
      #expect(words.sentence.contains("Emma's PC"), "\(words.sentence)")
    }
    let receipt = ConditionKind.receiptSentence(of: kind.name)
    #expect(receipt.hasSuffix(".") && !receipt.contains("{") && !receipt.contains("update"), "\(receipt)")
  }

  @Test("Every kind is in German, with the machine's name in German quotation marks", arguments: ConditionKind.all)
  func german(kind: ConditionKind) throws {
    let german = try #require(Language.named("de"))
    let name = DeviceName(sanitising: "Emma's „PC”")
    let words = kind.phrases(on: name.quotation, account: "emma", detail: "kart")
    for phrase in [words.sentence, words.next] {
      let text = phrase.worded(in: german)
      #expect(text != phrase.worded() && !text.contains("{") && text.hasSuffix("."), "\(text)")
    }
    #expect(words.sentence.worded(in: german).contains("„Emma's \"PC\"“"))
    #expect(words.sentence.worded().contains("“Emma's \"PC\"”"))
  }

  @Test("A receipt's next step names the child, and no placeholder for an application", arguments: ConditionKind.all)
  func receiptNext(kind: ConditionKind) throws {
    for app in ["kart", nil] {
      let next = try #require(ConditionKind.receiptNext(of: kind.name, app: app, whose: "--child Emma"))
      #expect(!next.contains("{") && !next.contains(" ID ") && !next.contains("…") && next.hasSuffix("."), "\(next)")
    }
    let on = ConditionKind.receiptNext(of: "rules-off", app: "kart", whose: "--child Emma")
    #expect(on == "Switch them on with `latchkey app set kart --child Emma --enabled`.")
    #expect(
      ConditionKind.receiptSentence(of: "rules-off", isOfSeveral: true).contains("at least one of the applications"))
  }

  @Test("A condition names its application as people call it, and the command that mends it")
  func applicationsName() throws {
    let kind = try #require(ConditionKind.named("rule-bad-matcher"))
    let app = ConditionKind.AppWords(name: "Super Kart", argument: "kart")
    let words = kind.words(on: "this machine", account: "", detail: "kart", whose: "--child Emma", app: app)
    #expect(words.sentence.hasPrefix("The rules of “Super Kart” cannot recognize"))
    #expect(words.next.hasSuffix("with `latchkey app set kart --child Emma` and --matcher."), "\(words.next)")
    #expect(kind.words(on: "this machine", account: "", detail: "").next.contains("`latchkey app set` and --matcher"))
  }

  @Test("What assigns an account is a whole command where the child is known, and names no placeholder")
  func assigning() throws {
    let kind = try #require(ConditionKind.named("account-open"))
    let known = kind.words(on: "“Emma's PC”", account: "em2012", detail: "", whose: "--child Emma").next
    #expect(known.contains("`latchkey accounts assign em2012 --child Emma`, or"), "\(known)")
    #expect(known.contains("`latchkey accounts ignore em2012`"), "\(known)")
    let unknown = kind.words(on: "“Emma's PC”", account: "em2012", detail: "").next
    #expect(unknown.contains("`latchkey accounts assign em2012` and --child with the child's name"), "\(unknown)")
  }

  @Test("What a machine says is put into a sentence once, and read for nothing else")
  func once() throws {
    let kind = try #require(ConditionKind.named("privileged-group"))
    let words = kind.words(on: "this machine", account: "{detail}", detail: "{account}")
    #expect(
      words.sentence
        == "The account {detail} on this machine is in the group {account}, with which it can get around every rule.")
    #expect(ConditionKind.named("from-the-future") == nil)
    #expect(ConditionKind.receiptSentence(of: "from-the-future").contains("update"))
  }

  @Test func theNextStepIsHereOnTheMachineItselfAndNamesWhoNeedsAPIN() throws {
    let alone = try #require(ConditionKind.named("own-programs-only"))
    let here = alone.words(on: "this machine", account: "", detail: "", isHere: true)
    #expect(here.next.hasPrefix("Install the package here, "), "\(here)")
    #expect(alone.words(on: "“Emma's PC”", account: "", detail: "").next.hasPrefix("Install the package there, "))
    let pins = try #require(ConditionKind.named("pin-missing"))
    let next = { (children: [String]) in
      pins.words(on: "“Emma's PC”", account: "home", detail: "", children: children).next
    }
    #expect(next(["Emma"]) == "Give each of the children one with `latchkey children pin Emma`.")
    #expect(next(["Emma", "Ben"]).hasSuffix("`latchkey children pin Emma` and `latchkey children pin Ben`."))
    #expect(next([]) == "Give each of the children one with `latchkey children pin` and the child's name.")
  }
}

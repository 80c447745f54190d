import Foundation
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// Tests that every text of a page can be translated, and is in German.
@Suite struct PageLanguageTests {
  /// What is the same in all languages.
  private static let names: Set<String> = ["Latchkey"]
  /// Words that no German text has.
  private static let english: Set<String> = [
    "the", "and", "until", "left", "used", "today", "closed", "yes", "with", "your", "you", "ask", "asks", "of", "is",
    "are", "this", "machine", "machines", "time", "points", "week", "day", "days", "there", "what", "no", "for", "ago",
  ]

  /// Every page in a language, also those whose data are not known here, without data.
  private func pages(in language: Language) throws -> [String] {
    let frame: PageData = [
      "language": language.code, "title": Phrase("Today"), "token": "TKN",
      "assets": ["icon": "", "style": "", "script": ""],
      "hasNavigation": true, "navigation": PageTable.navigation(for: .parent, at: "/"),
    ]
    let known = try SamplePages().data.map { $0.page.template.render($0.data.merging(frame) { $1 }, in: language) }
    let empty = PageTable.pages.map { $0.template.render(frame, in: language) }
    let entries = [
      EntryPages.signedOut, EntryPages.malformed, EntryPages.otherSite, EntryPages.left, EntryPages.otherName,
      EntryPages.button(link: "LNK", page: "/"), EntryPages.welcome("/"),
      EntryPages.fault(410, EntryPages.overSentence), PhonePages.code, PhonePages.waiting(12), PhonePages.trust,
      PhonePages.signedOut, PhonePages.codeOver, PhonePages.codeUnknown, PhonePages.notLetIn, PhonePages.otherName,
      PhonePages.closed, PhonePages.nothingElse, PhonePages.leftPhone,
    ].map { answer in
      guard case .bytes(let bytes) = answer.worded(in: language).body else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
    return known + empty + entries
  }

  /// Returns the words of a page that people read or hear, in lists between tags.
  private func words(_ page: String) -> Set<String> {
    var texts = page.matches(of: /(?:aria-label|title|alt|placeholder|data-[a-z]+)="([^"]*)"/).map {
      String($0.output.1)
    }
    texts.append(page.replacing(/<[^>]*>/, with: " "))
    let words = texts.flatMap { text in
      text.replacing(/&[a-z]+;|&#[0-9x]+;/, with: " ").split { !$0.isLetter }.map(String.init)
    }
    return Set(words.filter { $0.count > 1 })
  }

  @Test func inThePseudoLanguageNoTextIsWithoutAccents() throws {
    for page in try pages(in: .pseudo) {
      let plain = words(page).filter { word in
        word.utf8.allSatisfy { $0 < 0x80 } && word.contains { "aeiounAEIOU".contains($0) } && !Self.names.contains(word)
      }
      #expect(plain.isEmpty, "\(plain.sorted())")
    }
  }

  @Test func inGermanNoWordIsEnglish() throws {
    let german = try #require(Language.named("de"))
    for page in try pages(in: german) {
      let found = words(page).filter { Self.english.contains($0.lowercased()) }
      #expect(found.isEmpty, "\(found.sorted())")
      #expect(page.contains(#"<html lang="de">"#))
    }
  }

  /// What a form says that the node, or the reading of what was typed, has refused.
  private func refusals() async throws -> [Phrase] {
    let errors: [LocalAPIError] = [
      LocalAPIError(.limit, phrase: StoreError.diskFull.phrase ?? ""), LocalAPIError(StoreError.noSuchPeer),
      LocalAPIError(StoreError.tooManyPeers), LocalAPIError(StoreError.queueFull(.receipt)),
      LocalAPIError(.invalid, phrase: DeviceNameError.tooLong(bytes: 99).phrase),
      LocalAPIError.notOneChild([], orFamily: true), LocalAPIError.notOneChild(["Lrk", "Bld"], orFamily: false),
      LocalAPIError(.invalid, phrase: PIN.faultPhrase),
    ]
    var phrases = errors.map { $0.phrase ?? Phrase(verbatim: $0.message) }
    let outcome = try await FormOutcome.orFault(on: "/") {
      throw LocalAPIError(.invalid, phrase: RuleFault("That is yes or no: give one of them.").phrase)
    }
    #expect(outcome.isFault)
    phrases += outcome.sentences
    return phrases
  }

  @Test func whatTheNodeRefusesIsInTheLanguageOfTheReader() async throws {
    let german = try #require(Language.named("de"))
    for phrase in try await refusals() {
      #expect(german.has(phrase) && phrase.worded(in: german) != phrase.worded(), "\(phrase.text)")
      let plain = words(phrase.worded(in: .pseudo)).filter { word in
        word.utf8.allSatisfy { $0 < 0x80 } && word.contains { "aeiounAEIOUN".contains($0) }
      }
      #expect(plain.isEmpty, "\(plain.sorted())")
    }
  }

  @Test func timesAndNumbersAreGerman() throws {
    let german = try #require(Language.named("de"))
    let text = try SamplePages().data.map { $0.page.template.render($0.data, in: german) }.joined()
    for part in [
      "noch 48 Min", "heute 1 Std 12 Min von 2 Std benutzt", "12,5 Punkte", "12,3 Punkte", "„Bld“",
      "Es läuft auf „Bld“ kein Agent", "durch Lernen verdient", "Mo, 23. Nov.", "vor 1 Tag",
    ] {
      #expect(text.contains(part), "\(part)")
    }
  }
}

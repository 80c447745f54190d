import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyWeb

@Suite struct FailedCommandTests {
  private static func command(
    _ status: CommandStatus, _ told: ToldSentence, at: Int64 = 1_000
  ) throws -> ConfigurationCommand {
    var command = ConfigurationCommand(
      commandID: try #require(CommandID(bytes: [UInt8](repeating: 1, count: 16))), target: Sample.device,
      author: Sample.device, payload: .message("x"), createdAt: 0, status: status, statusAt: at, reason: told.english)
    command.reasonPhrase = told.phrase
    return command
  }

  private func page(_ commands: [ConfigurationCommand], in language: Language, now: Int64 = 2_000) -> String {
    PageTemplate(FailedCommands.template).render(
      FailedCommands.data(commands, PageClock(now: now), now: now), in: language)
  }

  @Test("What a machine could not do is said in the reader's language, or in its English sentence")
  func languages() throws {
    let german = try #require(Language.named("de"))
    let known = try Self.command(.failed, "That learning does not wait for a review: see `latchkey points`.")
    #expect(page([known], in: german).contains("Dieses Lernen muss nicht geprüft werden"))
    let later = try Self.command(.failed, ToldSentence(Phrase("A later {thing}: look there.", ["thing": "x"])))
    #expect(page([later], in: german).contains("A later x: look there."))
    #expect(page([known], in: .english).contains("That learning does not wait"))
  }

  @Test("A hostile reason and what stands in its places are text")
  func hostile() throws {
    let phrase = Phrase("{machine} has lost data, so this is sent again.", ["machine": .text(Sample.hostile)])
    for told in [ToldSentence(english: Sample.hostile), ToldSentence(phrase)] {
      for language in [Language.english, try #require(Language.named("de"))] {
        Sample.expectSafe(page([try Self.command(.failed, told)], in: language))
      }
    }
  }

  @Test func onlyWhatFailedWithinAWeekIsListed() throws {
    let old = try Self.command(.failed, "the agent", at: 0)
    let done = try Self.command(.executed, "the agent", at: 7 * 86_400_000)
    #expect(!page([old, done], in: .english, now: 7 * 86_400_000 + 1).contains("<li>"))
    let many = try (0..<9).map { _ in try Self.command(.expired, "the agent") }
    #expect(page(many, in: .english).components(separatedBy: "<li>").count == 6)
  }
}

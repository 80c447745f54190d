import Foundation
import Glibc
import LatchkeyModel
import Logging
import Testing

@testable import LatchkeyBridge

@Suite struct QuestionRecordTests {
  @Test("The questions are kept without what the child wrote, for their owner alone, and not without bound")
  func kept() throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var record = QuestionRecord(path)
    #expect(record.content == nil)
    #expect(record.keep([try Sample.asked()], replaces: true))
    let read = QuestionRecord(path)
    #expect(read.content == record.content && read.content?.replaces == true)
    #expect(read.content?.questions.map(\.number) == [57])
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("level 9"))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let isReadKept = record.keep([], read: "k3V9")
    #expect(isReadKept && QuestionRecord(path).content?.read == "k3V9")
    #expect(record.keep(try (0..<1_000).map { try Sample.asked(number: $0) }))
    #expect(QuestionRecord(path).content?.questions.map(\.number) == Array(872..<1_000))
  }

  @Test("A pipe in the place of the file counts as none and holds nothing up; one that cannot be written is reported")
  func unusable() async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(mkfifo(path, 0o600) == 0)
    #expect(QuestionRecord(path).content == nil)
    let (node, nowhere) = (DayNode(), path + "/none")
    let bridge = Bridge("phone", logger: Logger(label: "test"), record: nowhere) { _ in node }
    try node.ask(1)
    _ = try await NtfyTeller(try Sample.ntfy(), bridge, ScriptedServer()).look()
    #expect(node.faults.last??.contains("\(nowhere) cannot be written") == true, "\(node.faults)")
  }

  @Test("A file that is damaged, or that others can read, counts as none")
  func damaged() throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "{".write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o600)
    #expect(QuestionRecord(path).content == nil)
    try #"{"questions":[]}"#.write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o600)
    #expect(QuestionRecord(path).content != nil)
    chmod(path, 0o644)
    #expect(QuestionRecord(path).content == nil)
    #expect(QuestionRecord(path + "/none").content == nil)
    var nowhere = QuestionRecord(path + "/none")
    let isKept = nowhere.keep([try Sample.asked()])
    #expect(!isKept)
  }
}

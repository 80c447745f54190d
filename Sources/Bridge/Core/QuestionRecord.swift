import FoundationEssentials
import LatchkeyModel
import LatchkeyNode

/// The questions that a receiver shows, in a file beside its settings.
///
/// A later run of the bridge reads them, and tells what became of those that were answered
/// meanwhile.
///
/// Spec: Protocol/14-bridge.md §1.
struct QuestionRecord: Sendable {
  /// What the file holds.
  struct Content: Hashable, Sendable, Codable {
    /// The notices of the questions, whose sentences are left out because nobody needs them later.
    var questions: [ParentNotice] = []
    /// What was told about questions that are answered; `nil` for nothing.
    var answers: [ToldAnswers.Entry]?
    /// Whether the server shows a message in the place of an earlier one; `nil` if that is not
    /// known.
    var replaces: Bool?
    /// The ID of a message on the topic of the buttons up to which all were handled; `nil` if none
    /// is known.
    var read: String?
  }

  /// The largest number of questions in a file.
  static let mostQuestions = 128
  private static let mostBytes = 262_144

  /// The path of the file; `nil` for a bridge that keeps none.
  private let path: String?
  /// What the file holds; `nil` if the file is missing or damaged.
  private(set) var content: Content?

  /// Reads the file at a path.
  init(_ path: String?) {
    self.path = path
    guard let path else { return }
    do throws(BridgeFault) {
      let bytes = try PrivateFile.read(path, most: Self.mostBytes)
      content = try? JSONDecoder().decode(Content.self, from: Data(bytes))
    } catch {}
  }

  /// What is said where the file cannot be written: one sentence with the next step.
  var fault: String {
    "\(path ?? "The file") cannot be written, so that after its next start the bridge does not know what the receiver "
      + "shows: see whether the disk has room and the folder is yours."
  }

  /// Keeps the questions that the receiver shows, if they are others than before.
  ///
  /// - Parameters:
  ///   - notices: Their notices, the oldest first.
  ///   - answers: What was told about questions that are answered.
  ///   - replaces: Whether the server shows a message in the place of an earlier one.
  ///   - read: The message up to which the topic of the buttons was read.
  /// - Returns: Whether the file holds them.
  mutating func keep(
    _ notices: [ParentNotice], answers: [ToldAnswers.Entry] = [], replaces: Bool? = nil,
    read: String? = nil
  ) -> Bool {
    let questions = notices.suffix(Self.mostQuestions).map { notice in
      var short = notice
      short.sentence = ""
      return short
    }
    let new = Content(questions: questions, answers: answers.isEmpty ? nil : answers, replaces: replaces, read: read)
    guard new != content else { return true }
    content = new
    guard let path else { return true }
    do {
      try DurableFile.replace(path, with: [UInt8](JSONEncoder().encode(new)))
      return true
    } catch {
      // It is tried again at the next change.
      content = nil
      return false
    }
  }
}

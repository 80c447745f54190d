import Foundation
import GRDB
import LatchkeyModel

extension ToldSentence {
  /// The phrase as it is stored; `nil` if there is none.
  var storedPhrase: String? {
    phrase.flatMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Row {
  /// Returns a sentence; `nil` for none.
  ///
  /// - Parameters:
  ///   - column: The column with the sentence in English.
  ///   - phrase: The column with the same as a phrase.
  /// - Returns: The sentence.
  func told(_ column: String, _ phrase: String) -> ToldSentence? {
    guard let english = self[column] as String? else { return nil }
    let stored = (self[phrase] as String?).flatMap { try? JSONDecoder().decode(Phrase.self, from: Data($0.utf8)) }
    return ToldSentence(english: english, phrase: stored)
  }
}

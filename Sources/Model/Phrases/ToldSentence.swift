/// A sentence that one machine sends to another: in English and, if possible, as a phrase.
///
/// The receiver shows the phrase in the reader's language. If its version does not know the phrase,
/// it shows the English sentence.
///
/// Spec: Protocol/06-messages.md §4.
public struct ToldSentence: Hashable, Sendable, ExpressibleByStringLiteral {
  public let english: String
  /// The same as a phrase, whose English words are the sentence; `nil` if there is none.
  public let phrase: Phrase?

  public init(_ phrase: Phrase) { (english, self.phrase) = (phrase.worded(), phrase) }

  /// Creates a sentence that another machine sent; `phrase` says the same.
  ///
  /// The phrase is dropped if it is out of bounds, or if its English words differ. So the sentence
  /// says the same in every language.
  public init(english: String, phrase: Phrase? = nil) {
    self.english = english
    self.phrase = phrase.flatMap { $0.isWithinBounds && $0.worded() == english ? $0 : nil }
  }

  /// Returns the sentence in a language, or in English if the language does not have it.
  ///
  /// `shown` returns how a text that is the same in all languages, such as a name, is shown.
  public func worded(in language: Language = .english, showing shown: (String) -> String = { $0 }) -> String {
    guard let phrase else { return shown(english) }
    return phrase.worded(in: language == .english || language.has(phrase) ? language : .english, showing: shown)
  }

  /// The sentence as a phrase; in English only if it has none.
  public var said: Phrase { phrase ?? Phrase(verbatim: english) }

  /// Creates a sentence whose text is a phrase without places.
  public init(stringLiteral text: String) { self.init(Phrase(text)) }
}

/// The bounds of a phrase from another machine.
///
/// Spec: Protocol/06-messages.md §4.
extension Phrase {
  /// The most arguments of a phrase and of the phrases in it together.
  public static let mostArguments = 32
  /// The deepest nesting of phrases in a message.
  public static let deepestMessage = 4
  /// The longest name of a place.
  public static let nameBytes = 64

  /// A Boolean value that indicates whether a message may carry the phrase.
  ///
  /// Each place has its argument and occurs once, so that words are no longer than the message.
  public var isWithinBounds: Bool {
    var room = Self.mostArguments
    return isWithin(&room, depth: 1)
  }

  private func isWithin(_ room: inout Int, depth: Int) -> Bool {
    room -= arguments.count
    guard room >= 0, depth <= Self.deepestMessage else { return false }
    var places: Set<String> = plural == nil ? [] : ["count"]
    for form in [text, plural?.other].compactMap({ $0 }) {
      guard !form.isEmpty, TextRule.reason.fault(in: form) == nil else { return false }
      let named = Self.places(of: form)
      guard Set(named).count == named.count else { return false }
      places.formUnion(named)
    }
    let given = Set(arguments.keys)
    guard given.isSubset(of: places) else { return false }
    if plural != nil { places.remove("count") }
    guard places.isSubset(of: given) else { return false }
    for (name, argument) in arguments {
      guard Self.isName(name) else { return false }
      switch argument {
      case .text(let text): guard TextRule.reason.fault(in: text) == nil else { return false }
      case .number: break
      case .phrase(let phrase): guard phrase.isWithin(&room, depth: depth + 1) else { return false }
      case .list: return false
      }
    }
    return true
  }

  private static func isName(_ name: String) -> Bool {
    guard (1...nameBytes).contains(name.utf8.count), name.first?.isLetter == true else { return false }
    return name.utf8.allSatisfy(\.isLetterOrDigit)
  }
}

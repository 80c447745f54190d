import LatchkeyModel

extension Latchkey_V1_Phrase {
  /// Creates the message of a phrase that is within the bounds of messages.
  init(_ phrase: Phrase) {
    self.init()
    text = phrase.text
    if let plural = phrase.plural {
      other = plural.other
      count = Int64(plural.count)
    }
    arguments = phrase.arguments.sorted { $0.key < $1.key }.map { name, value in
      var argument = Argument()
      argument.name = name
      switch value {
      case .text(let text): argument.text = text
      case .number(let number): argument.number = Int64(number)
      case .phrase(let phrase): argument.phrase = .init(phrase)
      // No message may carry a list.
      case .list: break
      }
      return argument
    }
  }

  /// Returns the phrase, whose bounds are not checked; `nil` if it cannot be one.
  func value() -> Phrase? {
    var values: [String: Phrase.Argument] = [:]
    for argument in arguments {
      let value: Phrase.Argument? =
        switch argument.value {
        case .text(let text): .text(text)
        case .number(let number): .number(Int(number))
        case .phrase(let phrase): phrase.value().map { .phrase($0) }
        case nil: nil
        }
      guard let value, values.updateValue(value, forKey: argument.name) == nil else { return nil }
    }
    guard hasOther else { return count == 0 ? Phrase(text, values) : nil }
    return Phrase(one: text, other: other, count: Int(count), values)
  }
}

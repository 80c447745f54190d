extension AppID {
  /// The part of the ID that people read as a name, for an application whose name is not known.
  ///
  /// That of `org.supertuxkart.SuperTuxKart` is `SuperTuxKart`. The mark of a program that was
  /// refused (11 §5) is left out.
  public var readable: String {
    var word = text[...]
    if let dash = word.lastIndex(of: "-") {
      let mark = word[word.index(after: dash)...]
      if mark.utf8.count == 8, mark.allSatisfy(\.isHexDigit), mark.contains(where: \.isNumber), dash > word.startIndex {
        word = word[..<dash]
      }
    }
    let parts = word.split(separator: ".")
    guard parts.count > 2, let last = parts.last(where: { $0.contains(where: \.isLetter) }) else { return String(word) }
    return String(last)
  }
}

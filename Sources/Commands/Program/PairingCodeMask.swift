/// Removes pairing codes from messages about arguments.
enum PairingCodeMask {
  /// The shortest piece of a code that is worth hiding; a shorter one gives nothing away.
  private static let leastPiece = 3

  /// Returns a message without the arguments that resemble a pairing code, a value that contains
  /// one, or the rest of a code that was given in pieces.
  static func hide(in message: String, arguments: [String]) -> String {
    var hidden: [String] = []
    var isAfterCode = false
    for argument in arguments {
      if looksLikeCode(argument) {
        isAfterCode = true
        hidden.append(argument)
        let value = argument.drop { $0 != "=" }.dropFirst()
        if !value.isEmpty { hidden.append(String(value)) }
      } else if isAfterCode, isPiece(argument) {
        hidden.append(argument)
      }
    }
    hidden += typedPieces(arguments)
    return hidden.sorted { $0.count > $1.count }.reduce(message) { $0.replacing($1, with: "…") }
  }

  /// Returns whether a text contains the beginning of a code, however it is typed.
  static func looksLikeCode(_ text: String) -> Bool {
    let compact = text.uppercased().filter { $0 != "-" && $0 != " " }
    return compact.contains("LK1") || looksTyped(text)
  }

  /// Returns whether a text, or the value in it, looks like a typed code, such as `KX-7Q2MN-4C`.
  private static func looksTyped(_ text: String) -> Bool {
    let value = text.contains("=") ? String(text.drop { $0 != "=" }.dropFirst()) : text
    let groups = value.split { $0 == "-" || $0 == " " }
    guard groups.reduce(0, { $0 + $1.utf8.count }) == 9, groups.allSatisfy({ $0.utf8.allSatisfy(isSymbol) }) else {
      return false
    }
    // A word of nine letters is not a code, but one with dashes at the places of a code is.
    return groups.map(\.utf8.count) == [2, 5, 2] || groups.contains { $0.contains(where: \.isNumber) }
  }

  /// The parts of a typed code that was given as three arguments.
  private static func typedPieces(_ arguments: [String]) -> [String] {
    guard arguments.count >= 3 else { return [] }
    return (0...arguments.count - 3).flatMap { first in
      let pieces = Array(arguments[first..<first + 3])
      return looksTyped(pieces.joined(separator: "-")) && pieces.map(\.utf8.count) == [2, 5, 2] ? pieces : []
    }
  }

  /// Returns whether a byte is a letter or a digit.
  private static func isSymbol(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
  }

  private static func isPiece(_ text: String) -> Bool {
    text.utf8.count >= leastPiece && !text.hasPrefix("-")
      && text.utf8.allSatisfy { isSymbol($0) || $0 == UInt8(ascii: "-") }
  }
}

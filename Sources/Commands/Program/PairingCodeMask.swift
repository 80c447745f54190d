/// Keeps a pairing code that was given as an argument out of what is printed about the mistake.
enum PairingCodeMask {
  /// Replace every argument that looks like a pairing code, or like a value holding one.
  static func hide(in message: String, arguments: [String]) -> String {
    var masked = message
    for argument in arguments.sorted(by: { $0.count > $1.count }) where looksLikeCode(argument) {
      masked = masked.replacing(argument, with: "…")
      if let value = argument.split(separator: "=", maxSplits: 1).last, value.count < argument.count {
        masked = masked.replacing(value, with: "…")
      }
    }
    return masked
  }

  /// Whether `text` holds the start of a code in any of the ways it may be typed.
  static func looksLikeCode(_ text: String) -> Bool {
    let compact = text.uppercased().filter { $0 != "-" && $0 != " " }
    return compact.contains("LK1")
  }
}

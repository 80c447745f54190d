/// Rows as RFC 4180 text.
public enum CSVText {
  /// Returns a header and rows, each line ended by CR LF.
  public static func render(_ header: [String], rows: [[String]]) -> String {
    ([header] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  /// Returns one field, made safe for a terminal, quoted if necessary, and with an apostrophe
  /// before text that a spreadsheet would take for a formula.
  public static func field(_ text: String) -> String {
    var value = PrintableText.of(text)
    // A name may begin with "=": opened in a spreadsheet it would run as a formula of a stranger's.
    // A control character before it, which some of them skip, has become a replacement character by
    // now.
    let formula = "=+-@＝＋－＠\u{FFFD}".unicodeScalars
    if let first = value.unicodeScalars.first(where: { $0 != " " }), formula.contains(first), !isNumber(value) {
      value = "'" + value
    }
    guard value.contains(",") || value.contains("\"") else { return value }
    return "\"" + value.replacing("\"", with: "\"\"") + "\""
  }

  private static func isNumber(_ text: String) -> Bool {
    guard text.hasPrefix("-") else { return false }
    let digits = text.dropFirst()
    return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
  }
}

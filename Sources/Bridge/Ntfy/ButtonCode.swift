import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol

/// What a button of a notice on a phone posts: `v1.NOTICE.CHOICE.MAC`.
///
/// NOTICE is the number of the notice and, each behind a hyphen, the IDs of the requests that the
/// notice showed, in hexadecimal digits: a press answers exactly what the parent has read. MAC is
/// the first 16 bytes of HMAC-SHA-256 by the receiver's key over what stands before it and its dot.
///
/// Spec: Protocol/14-bridge.md §2.
struct ButtonCode: Hashable, Sendable {
  /// The largest number of requests in a code.
  static let mostRequests = 8
  private static let macBytes = 16
  /// The largest size of a code in bytes.
  private static let mostBytes = 400

  var notice: Int
  var requests: [CommandID]
  var choice: AnswerButton

  /// Returns the text that the button posts.
  func text(key: [UInt8]) -> String {
    let ids = requests.map { "-" + Hexadecimal.encode($0.bytes) }.joined()
    let said = "v1.\(notice)\(ids).\(choice.rawValue)"
    return "\(said).\(Hexadecimal.encode(Self.code(said, key)))"
  }

  /// Returns what was pressed; `nil` unless the text is one that was made with the key.
  static func read(_ text: String, key: [UInt8]) -> ButtonCode? {
    guard text.utf8.count <= mostBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "v1", let given = Hexadecimal.decode(parts[3]),
      ConstantTime.areEqual(given, code(parts[..<3].joined(separator: "."), key)),
      let choice = AnswerButton(rawValue: String(parts[2]))
    else { return nil }
    let fields = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    let ids = fields.dropFirst().compactMap { CommandID($0) }
    guard let number = Int(fields[0]), (1...mostRequests).contains(ids.count), ids.count == fields.count - 1 else {
      return nil
    }
    return ButtonCode(notice: number, requests: ids, choice: choice)
  }

  private static func code(_ said: String, _ key: [UInt8]) -> [UInt8] {
    [UInt8](HMACSHA256.authenticate(key: key, message: [UInt8](said.utf8)).prefix(macBytes))
  }
}

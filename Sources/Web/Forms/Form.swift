import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// A form of a page: its path, who may send it, and what it does.
///
/// Spec: Protocol/15-pages.md §4.
struct Form: Sendable {
  let path: String
  let whoMay: Set<Viewer>
  /// Carries out the form at the node.
  ///
  /// Returns sentences about what was done, and the page to show after it.
  let act: @Sendable (FormCall) async throws -> FormOutcome

  /// The number of random bytes in the key of each page.
  ///
  /// A form's idempotency key is this key with the child's ID behind it. So a form that is sent
  /// twice is carried out once.
  static let keyBytes = 12
}

struct FormCall: Sendable {
  var node: any NodeInterface
  var fields: FormFields
  /// The present, in Unix milliseconds.
  var now: Int64
  /// The codes of pairings that were begun on a page.
  var pairings = OpenPairings()
  /// The desk that lets phones in; `nil` on a phone.
  var phones: PhoneDesk?
  /// Returns the node with an idempotency key for one edit.
  var once: @Sendable (_ key: String) async throws -> any NodeInterface

  /// Returns a field that the form requires.
  func field(_ name: String) throws(PageFault) -> String {
    guard let value = fields[name] else {
      throw PageFault(400, "The form lacks a field: go back, load the page again and send it once more.")
    }
    return value
  }

  /// Returns a field with a line of text, or an empty text without the field.
  ///
  /// `label` is the field's name on the page.
  ///
  /// - Throws: `PageFault`, with the page's name of the field, if the text is too long or has
  ///   characters that cannot be shown.
  func line(_ name: String, label: Phrase, rule: TextRule = .reason) throws(PageFault) -> String {
    guard let text = fields[name] else { return "" }
    let field = Phrase.Argument.phrase(label)
    guard rule.bytes.contains(text.utf8.count) else {
      throw PageFault(
        400,
        Phrase(
          "“{field}” is too long: it may have {count} bytes at most.",
          ["field": field, "count": .number(rule.bytes.upperBound)]))
    }
    guard rule.allowsCharacters(of: text) else {
      throw PageFault(400, Phrase("“{field}” has a character that cannot be shown: leave it out.", ["field": field]))
    }
    return text
  }

  /// Returns a field with a time in whole minutes, such as `30` or `1,5 Std`; `nil` if it is empty.
  func minutes(_ name: String) throws(PageFault) -> Int? {
    let typed: String?
    do throws(RuleFault) {
      typed = try fields[name].map { text throws(RuleFault) in try TypedInput.read(text) }
    } catch { throw PageFault(400, error.phrase) }
    if let minutes = typed.flatMap({ SpanReader.minutes($0) }) { return minutes }
    return try number(name)
  }

  /// Returns a field with points above 0, in milli-points.
  ///
  /// `fault` is the sentence for any other text.
  ///
  /// - Throws: `PageFault` for any other text, and for a text that can be read in two ways.
  func milliPoints(_ name: String, else fault: Phrase) throws(PageFault) -> Int64 {
    let text = try field(name)
    let typed: String
    do throws(RuleFault) { typed = try TypedInput.points(text) } catch { throw PageFault(400, error.phrase) }
    guard let points = PointsText.milliPoints(typed), points > 0 else { throw PageFault(400, fault) }
    return points
  }

  /// Returns a field with a whole number; `nil` if it is empty.
  func number(_ name: String) throws(PageFault) -> Int? {
    guard let text = fields[name] else { return nil }
    guard let number = Int(text) else {
      throw PageFault(
        400, Phrase("“{text}” is no whole number: give one such as 30.", ["text": .text(String(text.prefix(20)))]))
    }
    return number
  }

  /// Returns a sentence about each machine that gets an edit later.
  func late(_ machines: [EditedMachine]) -> [Phrase] { PageWords.late(machines, PageClock(now: now)) }
}

struct FormOutcome {
  var sentences: [Phrase] = []
  /// The page to show after it.
  var page = "/"
  /// A Boolean value that indicates whether the sentences say why the form was not carried out.
  var isFault = false
  /// The page to show instead, because the form was not carried out yet; `nil` for none.
  var shown: FormPage?
}

/// A page that a form shows, such as a question, or the form itself with its faults.
struct FormPage {
  var status = 200
  var template: PageTemplate
  var title: Phrase
  var data: PageData
}

/// The fields of a form that a browser has sent as `application/x-www-form-urlencoded`.
///
/// A field that appears twice makes the form malformed, because it would be unclear which one
/// counts.
struct FormFields: Hashable, Sendable {
  /// The largest size of a form in bytes.
  static let mostBytes = 16_384
  private static let most = 320

  private var values: [String: String] = [:]

  /// Reads the body of a request, or the query of its target; `nil` if it is malformed.
  init?(_ body: some Sequence<UInt8>) {
    for pair in Array(body).split(separator: UInt8(ascii: "&")) {
      let cut = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard values.count < Self.most, let name = Self.decode(pair[..<cut]), !name.isEmpty,
        let value = Self.decode(pair[cut...].dropFirst()), values.updateValue(value, forKey: name) == nil
      else { return nil }
    }
  }

  /// Returns the value of a field without white space at its ends; `nil` if it is absent or empty.
  subscript(_ name: String) -> String? {
    guard let value = values[name] else { return nil }
    let trimmed = Self.trimmed(value)
    return trimmed.isEmpty ? nil : trimmed
  }

  /// Returns, sorted, the rests of the names of non-empty fields that begin with a text.
  func names(after start: String) -> [String] {
    values.filter { $0.key.hasPrefix(start) && !$0.value.isEmpty }
      .map { String($0.key.dropFirst(start.count)) }.sorted()
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        decoded.append(high << 4 | low)
      default: decoded.append(byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init) }
}

extension FormFields {
  /// Returns the fields of a form that was sent; `nil` if they are malformed.
  static func of(_ request: WebRequest) async -> FormFields? {
    let type = request.contentType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    guard type == "application/x-www-form-urlencoded" else { return nil }
    do { return try await request.body().flatMap { FormFields($0) } } catch { return nil }
  }
}

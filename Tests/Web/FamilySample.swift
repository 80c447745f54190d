import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// A child with its machine, its day and its rules, on Sunday, 29 November 2026, at 12:00 in
/// Berlin.
struct FamilySample {
  static let now: Int64 = 1_795_950_000_000
  static let hostile = "<b>\"\u{301} onload='x\u{200D}'&amp;</script>\u{202E}"

  var name = "Emma"
  var isConnected = true
  var rules: [RuleListing] = []
  var family: [RuleListing] = []

  let childID = ChildID(milliseconds: 1, random: [UInt8](repeating: 7, count: 10))

  var child: ChildListing {
    ChildListing(
      childID: childID, name: DeviceName(sanitising: name), machines: [DeviceName(sanitising: "Emma's PC")], untold: [])
  }

  var day: ChildToday {
    ChildToday(
      childID: childID, name: child.name, day: "2026-11-29", zone: "Europe/Berlin", at: Self.now,
      usedMilliseconds: 4_320_000, weekMilliseconds: 9_000_000, limitMilliseconds: 7_200_000, categories: [],
      apps: [], running: [], screen: VerdictToday(isAllowed: true), notices: [], enforcement: .enforced,
      milliPoints: 12_500, redeemedMilliseconds: nil)
  }

  var peer: PeerStatus {
    PeerStatus(
      device: RegisteredDevice(
        deviceID: Sample.device, name: DeviceName(sanitising: "Emma's PC"), role: .child, identityKey: "", linkKey: "",
        pairedAt: 1_795_000_000_000, lastSeenAt: 1_795_949_000_000),
      isConnected: isConnected, address: nil, sync: .idle, queues: [], lastError: nil)
  }

  var status: NodeStatus {
    NodeStatus(
      deviceID: Sample.device, name: DeviceName(sanitising: "Kitchen laptop"), role: .parent, version: "0.1.0",
      processID: 1, listening: [], discovery: "embedded", sync: .idle, peers: [peer], messages: [], warnings: [],
      residentBytes: 1)
  }

  var childRules: ChildRules { ChildRules(child: child, rules: rules, family: family) }
  var plan: ChildPlan { ChildPlan(day, childRules, [peer]) }

  /// Returns a rule as the local API lists it.
  static func rule(_ key: RegisterKey, _ value: String, setAt: Int64 = 1_795_900_000_000, isFamilys: Bool = false)
    -> RuleListing
  {
    RuleListing(
      key: key, value: value, name: RuleText.name(key), words: RuleText.value(key, value),
      setBy: DeviceName(sanitising: "Dad's laptop"), setAt: setAt, notInForce: nil, isFamilys: isFamilys)
  }

  /// Returns a form with fields.
  static func fields(_ values: [String: String]) -> FormFields {
    func coded(_ text: String) -> String {
      text.utf8.map { byte in
        let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    let text = values.map { "\(coded($0.key))=\(coded($0.value))" }.joined(separator: "&")
    return FormFields(text.utf8) ?? FormFields([UInt8]())!
  }

  /// Returns a page as it is sent.
  static func render(_ template: PageTemplate, _ data: PageData, in language: Language = .english) -> String {
    template.render(
      data.merging(["title": "T", "token": "TOKEN", "assets": Assets.all.paths, "hasNavigation": false]) { $1 },
      in: language)
  }

  /// Checks what every page keeps to: nothing of a text is markup, what is entered has a label,
  /// heads of tables say what they are of, headings are in order, and a wide table or picture
  /// scrolls in its own box.
  static func check(_ page: String, at location: SourceLocation = #_sourceLocation) {
    #expect(!page.contains("<b>") && !page.contains("[["), sourceLocation: location)
    let scalars = Array(page.unicodeScalars)
    for index in scalars.indices.dropLast() where scalars[index] == "\"" || scalars[index] == "'" {
      #expect(scalars[index + 1] != "\u{301}" && scalars[index + 1] != "\u{200D}", sourceLocation: location)
    }
    #expect(page.matches(of: /<th(?! scope=|ead)/).isEmpty, "a head without a scope", sourceLocation: location)
    checkFields(page, location)
    let levels = page.matches(of: /<h([1-6])/).compactMap { Int($0.output.1) }
    #expect(levels.first == 1 && levels.filter { $0 == 1 }.count == 1, sourceLocation: location)
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(levels)", sourceLocation: location)
    // At 360 pixels, a table or a wide picture moves within its box, and the page does not.
    for opening in ["<table", "<svg class=\"plan\""] {
      let parts = page.split(separator: opening, omittingEmptySubsequences: false).map(String.init)
      for end in parts.indices.dropFirst() {
        let boxes = parts[..<end].joined().matches(of: /<div class="scroll"/).count
        #expect(boxes >= end, "\(opening) without a box", sourceLocation: location)
      }
    }
  }

  /// Checks that each field that a person sees has a label.
  private static func checkFields(_ page: String, _ location: SourceLocation) {
    for match in page.matches(of: /<(?:input|select|textarea)[^>]*>/) {
      let field = String(match.output)
      if field.contains("type=\"hidden\"") { continue }
      let before = page[..<match.range.lowerBound]
      let isWithin =
        (before.ranges(of: "<label").last?.lowerBound).map { start in
          before.ranges(of: "</label>").last.map { $0.lowerBound < start } ?? true
        } ?? false
      let id = field.firstMatch(of: /\sid="([^"]*)"/).map { String($0.output.1) }
      let isNamed = id.map { page.contains("<label for=\"\($0)\"") } ?? false
      #expect(isWithin || isNamed, "\(field) has no label", sourceLocation: location)
    }
  }
}

/// A node that answers as it is told, and keeps what is set.
final class AnsweringNode: NodeInterface {
  private let answers: [String: any Sendable]
  let edits = Mutex<[RuleRequest]>([])

  private let refusals: [String: LocalAPIError]

  init(_ answers: [String: any Sendable], refusing refusals: [String: LocalAPIError] = [:]) {
    (self.answers, self.refusals) = (answers, refusals)
  }

  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    if let (_, request) = input as? (String?, RuleRequest) { edits.withLock { $0.append(request) } }
    if let refusal = refusals[endpoint.route.operationID] { throw refusal }
    guard let answer = answers[endpoint.route.operationID] as? Answer else {
      throw LocalAPIError(.internal, "\(endpoint.route.operationID) is not answered.")
    }
    return answer
  }
}

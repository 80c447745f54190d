import LatchkeyModel
import LatchkeyNode
import Synchronization

/// The page about a pairing from its code to its end, as the terminal's wizard shows it.
///
/// Spec: Protocol/03-pairing.md §5, §8.
enum PairingPage {
  static let page = Page("\(PairPage.path)/{pairing}", whoMay: [.parent], template: template) { call in
    let id = call.parameters["pairing"] ?? ""
    let title = Phrase("Pair a machine")
    do throws(LocalAPIError) {
      let pairing = try await call.node.ask(Endpoints.waitForPairing, (id, 0))
      if pairing.phase == .ended { call.pairings.ended(id) }
      return (title, data(pairing, call.pairings.codes(id), isRefusedHere: call.pairings.isRefusedHere(id)))
    } catch {
      guard error.code == .unknownPairing else { throw error }
      call.pairings.ended(id)
      return (title, unknown)
    }
  }

  static let template = """
    <h1>[[Pair a machine]]</h1>
    <div id="state" role="status" data-live><p class="word{{#isFault}} fault{{/isFault}}">{{state}}</p></div>
    <section id="pairing" data-live>
    {{#codes}}
    <h2>{{whose}}</h2>
    <ol>
    <li>[[On the child's machine, open a terminal and type `latchkey pair`.]]</li>
    <li>[[Enter the short code there. The long code, as text or in the picture, does the same.]]</li>
    <li>[[Both machines then show six digits. Compare them here.]]</li>
    </ol>
    <div class="beside">
    \(QRPicture.template)
    <div>
    {{#typed}}
    <h3>[[Short code, to type]]</h3>
    <p class="code figure"><span aria-hidden="true">{{text}}</span><span class="spoken">{{spoken}}</span></p>
    {{/typed}}
    <h3>[[Long code, to paste or scan]]</h3>
    <p class="code">{{long}}</p>
    </div></div>{{/codes}}
    {{#isForgotten}}
    <p>[[This code stands where it was opened, such as in a terminal, and cannot be shown here. Cancel it, and open another one \
    here.]]</p>
    {{/isForgotten}}
    {{#notices}}<p class="word">{{.}}</p>{{/notices}}
    {{#question}}
    <h2>[[Are these digits the same on the other screen?]]</h2>
    <p class="code figure digits"><span aria-hidden="true">{{digits}}</span><span class="spoken">{{spoken}}</span></p>
    <p>[[If they differ, another machine is between the two: say no.]]</p>
    <form method="post" action="\(PairPage.path)/answer" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="pairing" value="{{id}}">
    <input type="hidden" name="attempt" value="{{attempt}}">
    <button name="answer" value="yes">[[Yes, they are the same, and it may join]]</button>
    <button name="answer" value="no" class="quiet">[[No, turn it away]]</button>
    </form>{{/question}}
    {{#next}}<p><a class="button" href="{{address}}">{{name}}</a></p>{{/next}}
    </section>
    <section id="open" data-live>
    {{#isOpen}}<div class="row">
    <p><a href="\(PairPage.path)/{{id}}">[[Look again]]</a> <span class="age">{{time}}</span></p>
    <form method="post" action="\(PairPage.path)/cancel">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="pairing" value="{{id}}">
    <button class="quiet">[[Cancel the pairing]]</button>
    </form></div>{{/isOpen}}</section>
    <p><a href="/machines">[[All machines]]</a></p>
    """

  /// The data for a pairing that the node no longer knows.
  static var unknown: PageData {
    [
      "isFault": true,
      "state": Phrase(
        """
        The node of this machine knows nothing of this pairing any more, most likely because it was started again: look \
        at the machines in a minute, and pair again if the other machine is not there.
        """), "next": again,
    ]
  }

  private static var again: PageData { ["address": PairPage.path, "name": Phrase("Open a new code")] }

  static func data(_ pairing: PairingProgress, _ codes: OpenPairings.Codes?, isRefusedHere: Bool) -> PageData {
    var data: PageData = ["id": pairing.pairingID, "isOpen": pairing.phase != .ended]
    if let time = PairPage.time(pairing) { data["time"] = time }
    let machine = ["machine": (pairing.peerName ?? DeviceName(sanitising: "")).quotation]
    switch pairing.phase {
    case .waiting:
      data["state"] = Phrase("Waiting for the other machine to use the code.")
      data["isForgotten"] = codes == nil
      data["notices"] = notices(pairing)
      if let codes { data["codes"] = shown(codes, pairing) }
    case .asking:
      let digits = pairing.digits ?? ""
      data["state"] = Phrase("{machine} has the code and wants to join.", machine)
      data["question"] =
        ["digits": grouped(digits), "spoken": spoken(grouped(digits)), "attempt": pairing.attempt] as PageData
    case .committing: data["state"] = pairing.told ?? Phrase("You said yes; waiting for {machine} …", machine)
    case .ended:
      data["state"] = end(pairing, isRefusedHere: isRefusedHere)
      data["isFault"] = pairing.outcome != .ok
      data["next"] = next(pairing)
    }
    return data
  }

  private static func shown(_ codes: OpenPairings.Codes, _ pairing: PairingProgress) -> PageData {
    let label = Phrase("QR code of the long code, which stands below as text")
    return PageData(known: [
      "whose": PairPage.whose(pairing), "long": codes.long,
      "typed": codes.typed.map { ["text": $0, "spoken": spoken($0)] as PageData },
      // The dashes only make the code easier to read.
      "picture": QRCode(codes.long.filter { $0 != "-" }).map { QRPicture.data($0, label: label) },
    ])
  }

  /// Returns sentences about the attempts while the code is open.
  private static func notices(_ pairing: PairingProgress) -> [Phrase] {
    var notices: [Phrase] = []
    if let left = pairing.failuresLeft, left < Limits.pairingFailures { notices.append(PairingProgress.guessed(left)) }
    if let told = pairing.told { notices.append(told) }
    return notices
  }

  private static func end(_ pairing: PairingProgress, isRefusedHere: Bool) -> Phrase {
    guard let outcome = pairing.outcome else {
      return Phrase("The pairing ended without an outcome: look at the machines, and pair again.")
    }
    if outcome == .ok { return pairing.pairedPhrase }
    if outcome == .refused, let refusal = pairing.refusal(isHere: isRefusedHere) { return refusal }
    return pairing.told ?? outcome.phrase
  }

  private static func next(_ pairing: PairingProgress) -> PageData {
    guard pairing.outcome == .ok, let device = pairing.device else { return again }
    return device.role == .child
      ? ["address": SetupPage.path(of: device.deviceID), "name": Phrase("Go on with its questions")]
      : ["address": "/machines", "name": Phrase("All machines")]
  }

  static func grouped(_ digits: String) -> String {
    digits.count == 6 ? "\(digits.prefix(3)) \(digits.suffix(3))" : digits
  }

  /// Returns a code for reading aloud, symbol by symbol, with a pause between its groups.
  static func spoken(_ code: String) -> String {
    code.split { $0 == "-" || $0 == " " }.map { $0.map(String.init).joined(separator: " ") }.joined(separator: ", ")
  }
}

/// The facts about pairings that the node gives only once: the codes, which are only in the answer
/// that opened them, and whether the person here said no.
///
/// They are kept only in memory. The codes are kept until a page shows that the pairing has ended.
final class OpenPairings: Sendable {
  struct Codes: Hashable, Sendable {
    /// The long code, in groups of five.
    var long: String
    /// The short code; `nil` if there is none.
    var typed: String?
  }

  private struct Entry {
    var id: String
    var codes: Codes?
    var isRefusedHere = false
  }

  /// The largest number of pairings.
  ///
  /// One more drops the oldest.
  static let most = 32

  private let entries = Mutex<[Entry]>([])

  /// Keeps the codes of a pairing from the node's answer that opened it.
  func opened(_ pairing: PairingProgress) {
    entries.withLock { entries in
      if entries.count == Self.most { entries.removeFirst() }
      let codes = pairing.code.map { Codes(long: $0, typed: pairing.typedCode) }
      entries.append(Entry(id: pairing.pairingID, codes: codes))
    }
  }

  /// Notes that the person here turned the other machine away.
  func refused(_ id: String) {
    entries.withLock { entries in
      if let index = entries.firstIndex(where: { $0.id == id }) {
        entries[index].isRefusedHere = true
      } else {
        entries.append(Entry(id: id, codes: nil, isRefusedHere: true))
      }
      if entries.count > Self.most { entries.removeFirst() }
    }
  }

  /// Forgets the codes of a pairing that has ended.
  func ended(_ id: String) {
    entries.withLock { entries in
      if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].codes = nil }
    }
  }

  /// Returns the codes of a pairing; `nil` if it was begun elsewhere, or has ended.
  func codes(_ id: String) -> Codes? { entries.withLock { $0.first { $0.id == id }?.codes } }

  /// Returns whether the person here turned the other machine away.
  func isRefusedHere(_ id: String) -> Bool { entries.withLock { $0.first { $0.id == id }?.isRefusedHere == true } }
}

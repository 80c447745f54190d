import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// A pairing on a page, at every point of its way.
@Suite("Pairing on a page")
struct PairingPageTests {
  static let codes = OpenPairings.Codes(
    long: "LK1QY-QQ9FG-95ZS6-9GAY5-KN202-9F424-6ETDW-47D83-WHDVT-RZQNN-RJ0UK-09YW2-AE2ZY-KQ4QQ-S2LTS-WLA",
    typed: "N5-7Q2MN-43")

  static func pairing(
    _ phase: PairingProgress.Phase, for child: String? = "Emma", failuresLeft: Int = Limits.pairingFailures
  ) -> PairingProgress {
    PairingProgress(
      pairingID: "0a1b", phase: phase, change: 1, part: .inviter, prefix: "N5", childName: child,
      expiresInMilliseconds: 240_001, failuresLeft: failuresLeft, attempt: phase == .waiting ? 0 : 2,
      peerName: DeviceName(sanitising: "Emma's PC"), peerRole: .child,
      digits: phase == .asking || phase == .committing ? "123456" : nil)
  }

  static func ended(_ outcome: PairingOutcome?, attempt: Int = 2) -> PairingProgress {
    var progress = pairing(.ended)
    (progress.outcome, progress.sentence, progress.attempt) = (outcome, outcome?.sentence, attempt)
    if outcome == .ok { progress.device = Sample.peer().device }
    return progress
  }

  private func page(
    _ pairing: PairingProgress, _ codes: OpenPairings.Codes? = codes, isRefusedHere: Bool = false
  ) -> String {
    Sample.render(PairingPage.page, PairingPage.data(pairing, codes, isRefusedHere: isRefusedHere))
  }

  @Test("An open code is shown as a picture, as text and for the ear, with the steps and the time left")
  func waiting() {
    let page = page(Self.pairing(.waiting))
    for part in [
      "Code for “Emma”", "N5-7Q2MN-43", "N 5, 7 Q 2 M N, 4 3", Self.codes.long, "viewBox=\"0 0 41 41\"", "role=\"img\"",
      "Good for 5 minutes.", "<code>latchkey pair</code>", "/machines/pair/cancel", "Look again",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(!page.contains("wrong code") && !page.contains("/machines/pair/answer"))
    var one = Self.pairing(.waiting, for: nil, failuresLeft: 1)
    one.sentence = "That machine is gone again, and the code is still open."
    one.expiresInMilliseconds = 10
    let guessed = Sample.render(PairingPage.page, PairingPage.data(one, Self.codes, isRefusedHere: false))
    for part in [
      "Code for one machine", "Somebody entered a wrong code; 1 failure left until the code is closed.",
      "That machine is gone again", "Good for 1 minute.",
    ] {
      #expect(guessed.contains(part), "\(part)")
    }
  }

  @Test("A code that was opened elsewhere can be cancelled, and is not shown")
  func forgotten() {
    let page = page(Self.pairing(.waiting), nil)
    #expect(page.contains("cannot be shown here") && page.contains("/machines/pair/cancel"))
    #expect(!page.contains("<svg class=\"qr\""))
  }

  @Test("Who has the code is asked about with the digits, once for that machine, and the code is gone")
  func asking() {
    let page = page(Self.pairing(.asking))
    for part in [
      "“Emma&#39;s PC” has the code and wants to join.", "<span aria-hidden=\"true\">123 456</span>", "1 2 3, 4 5 6",
      "name=\"attempt\" value=\"2\"", "name=\"answer\" value=\"yes\"", "name=\"answer\" value=\"no\"",
      "/machines/pair/cancel",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(!page.contains("N5-7Q2MN-43") && !page.contains("LK1QY"))
    let committing = self.page(Self.pairing(.committing))
    #expect(committing.contains("You said yes; waiting for “Emma&#39;s PC” …") && !committing.contains("value=\"yes\""))
  }

  @Test("A pairing that succeeded leads on to the questions")
  func paired() {
    let page = page(Self.ended(.ok))
    #expect(page.contains("Paired with “Emma&#39;s PC”.") && page.contains("/machines/\(Sample.device)/setup"))
    #expect(!page.contains("word fault\">Paired") && !page.contains("/machines/pair/cancel"))
    var other = Self.ended(.ok)
    other.peerName = DeviceName(sanitising: "PC")
    #expect(self.page(other).contains("which got that name because there is a machine called “PC” already."))
  }

  @Test("A pairing that failed says why in one sentence, and leads to a new code", arguments: PairingOutcome.allCases)
  func failed(outcome: PairingOutcome) throws {
    guard outcome != .ok else { return }
    let page = page(Self.ended(outcome, attempt: 0))
    let sentence = MarkupEscape.marked("<p>" + MarkupEscape.escape(outcome.sentence)).dropFirst(3)
    #expect(page.contains(sentence) && page.contains("word fault\">"))
    #expect(page.contains("href=\"/machines/pair\"") && page.contains("Open a new code"))
  }

  @Test("A no is told apart by who said it")
  func refused() {
    let refused = Self.ended(.refused)
    #expect(page(refused, isRefusedHere: true).contains("You said no: the other machine was turned away"))
    #expect(page(refused).contains("The other machine said no, and the code is closed"))
    #expect(page(Self.ended(nil)).contains("The pairing ended without an outcome"))
  }

  @Test("A node that was started again knows nothing of it, which the page says with the next step")
  func unknown() {
    let page = Sample.render(PairingPage.page, PairingPage.unknown)
    #expect(page.contains("knows nothing of this pairing any more") && page.contains("Open a new code"))
  }

  @Test("No name brings markup to a page of a pairing")
  func hostileNames() {
    var asking = Self.pairing(.asking, for: Sample.hostile)
    (asking.peerName, asking.digits) = (DeviceName(sanitising: Sample.hostile), Sample.hostile)
    var ended = Self.ended(.refused, attempt: 0)
    ended.sentence = Sample.hostile
    let codes = OpenPairings.Codes(long: Sample.hostile, typed: Sample.hostile)
    for pairing in [Self.pairing(.waiting, for: Sample.hostile), asking, ended] {
      Sample.expectSafe(page(pairing, codes))
    }
    let open = [Self.pairing(.waiting, for: Sample.hostile)]
    Sample.expectSafe(Sample.render(PairPage.page, PairPage.data([Sample.child(Sample.hostile)], open)))
  }

  @Test("A page lists the codes that are open, and the children of whom one may get a machine")
  func pair() {
    let page = Sample.render(
      PairPage.page, PairPage.data([Sample.child("Emma"), Sample.child("Ben", number: 8)], [Self.pairing(.waiting)]))
    for part in ["<option>Emma</option>", "<option>Ben</option>", "/machines/pair/0a1b", "Another parent"] {
      #expect(page.contains(part), "\(part)")
    }
    let first = Sample.render(PairPage.page, PairPage.data([], []))
    #expect(!first.contains("<select") && first.contains("name=\"name\"") && !first.contains("open now"))
  }

  @Test("The picture has each dark module of the code once")
  func picture() throws {
    let code = try #require(QRCode(Self.codes.long.filter { $0 != "-" }))
    let path = try #require(QRPicture.data(code, label: "Code")["path"] as? String)
    let drawn = path.matches(of: /h([0-9]+)v1/).compactMap { Int($0.1) }.reduce(0, +)
    let dark = (0..<code.size).map { row in (0..<code.size).count { code[column: $0, row: row] } }.reduce(0, +)
    #expect(drawn == dark && dark > 0)
  }

  @Test("The codes are kept until the pairing has ended, and those of at most 32")
  func codesAreForgotten() {
    let pairings = OpenPairings()
    var opened = Self.pairing(.waiting)
    (opened.code, opened.typedCode) = (Self.codes.long, Self.codes.typed)
    pairings.opened(opened)
    #expect(pairings.codes("0a1b") == Self.codes && pairings.codes("other") == nil)
    pairings.refused("0a1b")
    pairings.ended("0a1b")
    #expect(pairings.codes("0a1b") == nil && pairings.isRefusedHere("0a1b") && !pairings.isRefusedHere("other"))
    opened.pairingID = "first"
    pairings.opened(opened)
    for number in 0..<OpenPairings.most {
      opened.pairingID = "\(number)"
      pairings.opened(opened)
    }
    #expect(pairings.codes("first") == nil && pairings.codes("0") == Self.codes)
  }
}

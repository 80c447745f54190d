import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// The page of a machine, the question before it is removed, and the first visit.
@Suite("A machine on a page")
struct MachinePageTests {
  private func listing(_ condition: MachineCondition, on name: String = "Emma's PC") -> ConditionListing {
    ConditionListing(
      deviceID: Sample.device, deviceName: DeviceName(sanitising: name), isOwn: false, condition: condition)
  }

  @Test("What is wrong with a machine is said with the next step, and it can be tried, renamed and removed")
  func machine() {
    var peer = Sample.peer(waiting: 3)
    peer.addresses = [
      DeviceAddress(address: "192.168.1.5:4000", source: .code, isInUse: true),
      DeviceAddress(
        address: "192.168.1.6:4000", source: .code, lastFailureAt: 1_795_949_000_000, failure: "nothing answers"),
    ]
    let data = MachinePage.data(
      peer, [Sample.child("Emma")], [Sample.account("em", of: ["Emma"]), Sample.account("guest", isOpen: true)],
      [listing(MachineCondition("agent-silent")), listing(MachineCondition("of-tomorrow"))], now: 1_795_950_000_000)
    let page = Sample.render(MachinePage.page, data)
    for part in [
      "No agent runs on “Emma&#39;s PC”, so nothing is closed.", "sudo systemctl start latchkey-agent", "“of-tomorrow”",
      "em: Emma", "guest: nobody has said whose it is", "<code>192.168.1.5:4000</code> in use",
      "failed 16 min ago: nothing answers", "3 items", "action=\"/machines/sync\"", "action=\"/machines/rename\"",
      "/machines/\(Sample.device)/remove", "/machines/\(Sample.device)/setup",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    var removed = Sample.peer()
    removed.device.state = .removed
    let gone = Sample.render(MachinePage.page, MachinePage.data(removed, [], [], [], now: 0))
    #expect(!gone.contains("/machines/sync") && !gone.contains("/remove"))
  }

  @Test("Before a machine is removed, it is said what is lost")
  func remove() {
    let page = Sample.render(
      RemovePage.page,
      RemovePage.data(Sample.peer(waiting: 1), [Sample.child("Emma"), Sample.child("Ben", machines: [])])
    )
    for part in [
      "Remove “Emma&#39;s PC” from the family? The last rules stay in force there",
      "1 item that waits for it is not sent",
      "Emma has no other machine here", "What it has recorded until now stays here.", "action=\"/machines/remove\"",
      "Keep it",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(!page.contains("Ben has"))
    let parents = Sample.render(RemovePage.page, RemovePage.data(Sample.peer("Tom's laptop", role: .parent), []))
    #expect(parents.contains("Remove the parent&#39;s machine “Tom&#39;s laptop”?"))
  }

  @Test("No name brings markup to the page of a machine")
  func hostileNames() {
    var peer = Sample.peer(Sample.hostile)
    peer.addresses = [DeviceAddress(address: Sample.hostile, source: .mdns, lastFailureAt: 0, failure: Sample.hostile)]
    let conditions = [
      listing(MachineCondition("account-open", detail: Sample.hostile), on: Sample.hostile),
      listing(MachineCondition(Sample.hostile)),
    ]
    let accounts = [Sample.account(Sample.hostile, of: [Sample.hostile]), Sample.account(Sample.hostile, isOpen: true)]
    let children = [Sample.child(Sample.hostile, machines: [peer.device.name.text])]
    Sample.expectSafe(
      Sample.render(MachinePage.page, MachinePage.data(peer, children, accounts, conditions, now: 0)))
    Sample.expectSafe(Sample.render(RemovePage.page, RemovePage.data(peer, children)))
  }

  @Test("The first visit leads to a pairing, or on with a machine that is paired already")
  func firstVisit() {
    func page(_ peers: [PeerStatus]) -> String {
      let status = NodeStatus(
        deviceID: Sample.device, name: DeviceName(sanitising: "Kitchen laptop"), role: .parent, version: "0.1.0",
        processID: 1, listening: [], discovery: "embedded", sync: .idle, peers: peers, messages: [], warnings: [],
        residentBytes: 1)
      return Sample.render(TodayPage.page, TodayPage.data([], [], status, now: 0))
    }
    #expect(page([]).contains("href=\"/machines/pair\">Pair the child&#39;s machine") && !page([]).contains("/setup"))
    let half = page([Sample.peer(), Sample.peer("Tom's laptop", role: .parent)])
    #expect(half.contains("/machines/\(Sample.device)/setup\">Go on with “Emma&#39;s PC”") && !half.contains("Tom"))
  }

  @Test("A path of a machine does not hide those beside it")
  func paths() {
    for (path, expected) in [
      ("/machines", "/machines"), ("/machines/pair", "/machines/pair"),
      ("/machines/pair/0a1b", "/machines/pair/{pairing}"),
      ("/machines/ABCD-2", "/machines/{device}"), ("/machines/ABCD-2/setup", "/machines/{device}/setup"),
      ("/machines/ABCD-2/remove", "/machines/{device}/remove"),
    ] {
      #expect(PageTable.page(at: path, for: .parent)?.page.path.text == expected)
      #expect(PageTable.page(at: path, for: .child) == nil && PageTable.hasPage(at: path), "\(path)")
    }
  }
}

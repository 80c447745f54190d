import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests of the lists that machines give of themselves, with the results of an independent
/// implementation: Protocol/vectors/inventories.json.
@Suite struct InventoryVectorTests {
  private struct File: Decodable {
    struct List: Decodable {
      let body: String
      let kind: String
      /// The texts of the entries; `nil` if the list is refused.
      let entries: [String]?
    }
    let lists: [List]
  }

  private let coding = MessageBodyCoding()
  private let file: File

  init() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let bytes = try Data(contentsOf: folder.appendingPathComponent("Protocol/vectors/inventories.json"))
    file = try JSONDecoder().decode(File.self, from: bytes)
  }

  @Test("Lists are read and written as the other implementation does, and malformed ones are refused")
  func lists() throws {
    for list in file.lists {
      let body = try #require(Hexadecimal.decode(list.body))
      guard let entries = list.entries else {
        #expect(throws: BodyFault.self, "\(list.kind) \(list.body.prefix(80))") {
          try coding.inventory(body).checked()
        }
        continue
      }
      let read = try coding.inventory(body).checked()
      #expect(read.kind == list.kind && read.entries == entries)
      #expect(coding.encode(read) == body)
    }
    for type in InventoryKind.all {
      let lists = file.lists.filter { $0.kind == type.inventory.name }
      #expect(lists.contains { $0.entries?.isEmpty == false } && lists.contains { $0.entries == nil })
    }
  }

  @Test("An entry's text has a line for each value")
  func texts() throws {
    let device = try #require(DeviceID(bytes: [UInt8](repeating: 0xAB, count: 20)))
    let child = try #require(ChildID(bytes: [UInt8](repeating: 0xCD, count: 16)))
    let record = try #require(RecordID(bytes: [UInt8](repeating: 0xEF, count: 16)))
    let app = try #require(AppID("net.minetest"))
    func same<Entry: InventoryEntry>(_ entry: Entry, _ text: String) {
      #expect(entry.text == text && entry.fault == nil && Entry(text: text) == entry)
    }
    same(Account(uid: 1_000, name: "emma", fullName: "Emma M", statedChild: "Emma"), "1000\nemma\nEmma M\nEmma")
    same(Account(uid: 1_001, name: "mum", fullName: ""), "1001\nmum\n\n")
    same(MachineCondition("no-agent"), "no-agent")
    same(MachineCondition("lingering", account: 1_000), "lingering 1000")
    same(MachineCondition("other-enforcer", detail: "-"), "other-enforcer - -")
    same(MachineCondition("privileged-group", account: 1_000, detail: "docker"), "privileged-group 1000 docker")
    same(
      InstalledApp(appID: app, name: "Luanti", version: "1:5", suggestion: .reward), "net.minetest\nLuanti\n1:5\nreward"
    )
    same(InstalledApp(appID: app, name: "Luanti"), "net.minetest\nLuanti\n\n")
    same(
      RefusedProgram(account: 1_000, target: .app(app), name: "Luanti", refusedAt: 5), "1000 net.minetest\nLuanti\n5")
    same(
      RefusedProgram(
        account: 0, target: .matcher(AppMatcher(kind: .path, value: "/home/emma/a b")), name: "a b", refusedAt: 0),
      "0 path /home/emma/a b\na b\n0")
    let digest = AppMatcher(kind: .sha256, value: String(repeating: "0a", count: 32))
    same(
      RefusedProgram(
        account: 1_000, target: .matcher(digest), name: "Luanti", refusedAt: 5, app: app, file: "/home/emma/luanti"),
      "1000 \(digest.text)\nLuanti\n5\nnet.minetest\n/home/emma/luanti")
    let huge = RefusedProgram(
      account: 1_000, target: .matcher(AppMatcher(kind: .path, value: "/home/emma/huge")), name: "huge", refusedAt: 5,
      file: "/home/emma/huge")
    same(huge, "1000 path /home/emma/huge\nhuge\n5\n\n/home/emma/huge")
    #expect(huge.isReplaceable)
    let devices = String(repeating: "ab", count: 20)
    same(PairedParent(deviceID: device, name: DeviceName(sanitising: "Dad's"), pairedAt: 5), "\(devices)\nDad's\n5\n")
    same(
      PairedParent(deviceID: device, name: DeviceName(sanitising: "Dad's"), pairedAt: 5, leftAt: -6),
      "\(devices)\nDad's\n5\n-6")
    let use = RunningUse(
      recordID: record, account: 1_000, child: child, appID: app, displayName: "Luanti", category: .reward,
      milliPointsPerMinute: 7, since: 8, activeMilliseconds: 9)
    let (records, children) = (String(repeating: "ef", count: 16), String(repeating: "cd", count: 16))
    same(use, "\(records)\n1000\n\(children)\nnet.minetest\nLuanti\nreward\n7\n8\n9")
  }
}

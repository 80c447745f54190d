import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// Values that tests share.
enum Sample {
  /// A device.
  static var device: DeviceID {
    guard let id = DeviceID(bytes: [UInt8](repeating: 3, count: 20)) else { preconditionFailure("an ID of 20 bytes") }
    return id
  }

  /// A name that would break out of an attribute, begin an element, and turn the line around.
  static let hostile = "<b>\"\u{301} onload='x\u{200D}'&amp;</script>\u{202E}"

  /// A child with a machine.
  static func child(_ name: String, number: UInt8 = 7, machines: [String] = ["Emma's PC"]) -> ChildListing {
    ChildListing(
      childID: ChildID(milliseconds: 1, random: [UInt8](repeating: number, count: 10)),
      name: DeviceName(sanitising: name), machines: machines.map { DeviceName(sanitising: $0) }, untold: [])
  }

  /// A machine that is paired with this one.
  static func peer(
    _ name: String = "Emma's PC", role: DeviceRole = .child, childName: String? = nil, waiting: Int64 = 0
  ) -> PeerStatus {
    PeerStatus(
      device: RegisteredDevice(
        deviceID: device, name: DeviceName(sanitising: name), role: role, childName: childName, identityKey: "",
        linkKey: "", pairedAt: 1_795_000_000_000, lastSeenAt: 1_795_949_000_000),
      isConnected: false, address: nil, sync: .idle,
      queues: [
        QueueStatus(
          streamClass: .command, waitingItems: waiting, waitingBytes: 1, inFlightItems: 0, storedThrough: 0,
          oldestAgeMilliseconds: nil)
      ], lastError: nil)
  }

  /// An account of the machine.
  static func account(
    _ name: String, _ uid: UInt32 = 1_000, of children: [String] = [], stated: String? = nil, isOpen: Bool = false
  ) -> AccountListing {
    AccountListing(
      deviceID: device, deviceName: DeviceName(sanitising: "Emma's PC"),
      account: Account(uid: uid, name: name, fullName: "", statedChild: stated),
      owner: children.isEmpty ? isOpen ? .open : .nobody : .child,
      childNames: children.map { DeviceName(sanitising: $0) })
  }

  /// Returns the page of some data, as a parent reads it.
  static func render(_ page: Page, _ data: PageData) -> String {
    page.template.render(
      data.merging(["title": "T", "token": "TOKEN", "assets": Assets.all.paths, "hasNavigation": false]) { $1 },
      in: .english)
  }

  /// Expects that no name has brought markup to a page.
  static func expectSafe(_ page: String) {
    #expect(!page.contains("<b>") && page.contains("&lt;b&gt;"))
    let scalars = Array(page.unicodeScalars)
    for index in scalars.indices.dropLast() where scalars[index] == "\"" || scalars[index] == "'" {
      #expect(scalars[index + 1] != "\u{301}" && scalars[index + 1] != "\u{200D}")
    }
  }
}

extension FormCall {
  /// Creates a form that was sent to a node that makes each edit once.
  init(node: any NodeInterface, fields: FormFields, now: Int64, pairings: OpenPairings = OpenPairings()) {
    self.init(node: node, fields: fields, now: now, pairings: pairings, once: { _ in node })
  }
}

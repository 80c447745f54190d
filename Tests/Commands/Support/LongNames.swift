import LatchkeyHousehold
import LatchkeyModel

@testable import LatchkeyNode

/// A family whose names are as long as real ones, to see what a terminal of 80 columns shows of it.
enum LongNames {
  private static let tomID = SampleValues.device(7)

  static let script: ScriptedNode.Script = {
    var script = ScriptedNode.Script()
    var tom = SampleValues.peer
    tom.device = RegisteredDevice(
      deviceID: tomID, name: DeviceName(sanitising: "Thomas' gaming laptop"), role: .child, childName: "Thomas",
      identityKey: SampleValues.registered.identityKey, linkKey: SampleValues.registered.linkKey,
      pairedAt: SampleValues.now - 86_400_000, lastSeenAt: SampleValues.now - 1_200_000,
      lastSyncedAt: SampleValues.now - 1_200_000)
    (tom.isConnected, tom.retries, tom.address) = (false, 7, "[2001:db8:85a3::8a2e:370:7334]:41234")
    tom.sync = .error(reason: "“Thomas' gaming laptop” cannot be reached.", nextTryInMilliseconds: 0)
    tom.queues[0].undelivered = []
    script.status.peers = [SampleValues.peer, tom]
    script.devices = script.status.peers
    script.status.messages[0].text = String(repeating: "Please come down, dinner is ready. ", count: 5)
    let apps = [
      ("org.gnome.Chess", "Chess", AppCategory.reward, true, 45),
      ("org.supertuxkart.SuperTuxKart", "SuperTuxKart", .reward, false, 90),
      ("org.kde.gcompris", "GCompris", .learning, false, 0),
    ]
    script.apps = apps.map { id, name, category, isBlocked, limit in
      var listing = SampleValues.listing
      (listing.appID, listing.displayName, listing.category) = (SampleValues.app(id), name, category)
      (listing.isBlocked, listing.limit) = (isBlocked, limit > 0 ? "\(limit)" : nil)
      if category == .learning { listing.rules[0].setBy = DeviceName(sanitising: "Dad's laptop in the study") }
      return listing
    }
    script.children.append(
      ChildListing(
        childID: SampleValues.child.childID, name: DeviceName(sanitising: "Thomas"), machines: [tom.device.name],
        untold: [tom.device.name]))
    (script.command.target, script.command.status) = (tomID, .failed)
    script.command.reason = "There is no room on the disk of that machine: make some, then give the command again."
    script.pages = [
      UsagePage(
        sessions: script.apps.map { app in
          var session = SampleValues.session
          session.deviceName = app.category == .learning ? tom.device.name : session.deviceName
          session.record.appID = app.appID
          session.record.displayName = app.displayName
          session.record.category = app.category ?? .neutral
          // Chess was paid, and there were no points left for the other game.
          if app.category == .reward {
            let isPaid = app.displayName == "Chess"
            (session.milliPoints, session.charge) = isPaid ? (-7_500, .written) : (nil, .nothing)
          }
          return session
        }, next: nil)
    ]
    script.queue[0].device = tomID
    script.machines.members[0].addresses = ["[2001:db8:85a3::8a2e:370:7334]:41234", "192.168.178.23:41234"]
    return script
  }()
}

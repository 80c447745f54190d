import LatchkeyModel
import LatchkeyNode

/// The question before a machine is removed from the family, with what is lost.
enum RemovePage {
  static let page = Page("/machines/{device}/remove", whoMay: [.parent], template: template) { call in
    let peers = try await call.node.ask(Endpoints.getDevices)
    let peer = try MachinePage.peer(call.parameters["device"] ?? "", peers)
    return ("Remove a machine", data(peer, try await call.node.ask(Endpoints.getChildren)))
  }

  static let template = """
    <h1>[[Remove a machine]]</h1>
    <p class="word fault">{{question}}</p>
    <ul>{{#losses}}<li>{{.}}</li>{{/losses}}</ul>
    <div class="row">
    <form method="post" action="/machines/remove">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="device" value="{{id}}">
    <button>[[Remove {machine}]]</button>
    </form>
    <p><a href="/machines/{{id}}">[[Keep it]]</a></p>
    </div>
    """

  /// Returns what the page shows.
  ///
  /// - Parameters:
  ///   - peer: The machine.
  ///   - children: The children with the names of their machines.
  /// - Returns: The data of the template.
  static func data(_ peer: PeerStatus, _ children: [ChildListing]) -> PageData {
    let device = peer.device
    var losses: [Phrase] = []
    let waiting = peer.queues.reduce(Int64(0)) { $0 + $1.waitingItems }
    if waiting > 0 {
      losses.append(
        Phrase(
          one: "{count} item that waits for it is not sent any more.",
          other: "{count} items that wait for it are not sent any more.", count: Int(clamping: waiting)))
    }
    for child in children where child.machines == [device.name] {
      losses.append(
        Phrase(
          "{child} has no other machine here: from then on, nothing of {child} is counted or set here.",
          ["child": .text(child.name.text)]))
    }
    losses.append(Phrase("What it has recorded until now stays here."))
    return [
      "id": device.deviceID.description, "machine": Phrase.quoted(device.name.text),
      "question": UnpairResult.question(device),
      "losses": losses,
    ]
  }
}

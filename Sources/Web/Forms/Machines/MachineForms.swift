import LatchkeyModel
import LatchkeyNode

/// What a parent does with a machine of the family: rename it, call it now, and remove it.
enum MachineForms {
  static let all = [
    Form(path: "/machines/rename", whoMay: [.parent]) { call in
      let device = try call.id("device")
      return try await FormOutcome.orFault(on: "/machines/\(device)") {
        let name = try call.field("name")
        let renamed = try await call.node.ask(Endpoints.renameDevice, (device, RenameRequest(name: name)))
        return FormOutcome(
          sentences: renamed.phrases(isRenamed: true), page: renamed.isOwn ? "/machines" : "/machines/\(device)")
      }
    },
    Form(path: "/machines/sync", whoMay: [.parent, .phone]) { call in
      let device = try call.id("device")
      let peers = try await call.node.ask(Endpoints.syncNow, device)
      let sentences = peers.map { peer -> Phrase in
        let machine = ["machine": peer.device.name.quotation]
        return peer.isConnected
          ? Phrase("{machine} is in touch: what waits for it is sent now.", machine)
          : Phrase("{machine} is called now. This page shows when it answers.", machine)
      }
      return FormOutcome(sentences: sentences, page: "/machines/\(device)")
    },
    Form(path: "/machines/remove", whoMay: [.parent]) { call in
      let removed = try await call.node.ask(Endpoints.deleteDevice, try call.id("device"))
      return FormOutcome(sentences: removed.phrases, page: "/machines")
    },
  ]
}

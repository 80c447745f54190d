import LatchkeyModel

/// The links to all paired devices, created, changed and ended as the disk says.
///
/// `LinkDirectory` does this in a node.
extension SimulatedNode {
  func refreshAll() {
    let look = nextLook()
    disk.read {
      $0.peers
    } then: { [unowned self] peers in
      for peer in peers {
        if looks[peer.device] ?? 0 > look, simulation.fault != .applyOlderLook {
          refresh(peer.device)
        } else {
          apply(peer, peer.device, look) {}
        }
      }
    }
  }

  /// Updates the links from the disk's data about a device.
  func refresh(_ device: DeviceID, then: @escaping () -> Void = {}) {
    let look = nextLook()
    looks[device] = look
    disk.read {
      $0.peer(device)
    } then: { [unowned self] peer in
      // A later reading may be newer, and must not be undone.
      guard looks[device] == look || simulation.fault == .applyOlderLook else { return refresh(device, then: then) }
      apply(peer, device, look, then: then)
    }
  }

  /// Handles the removal of a device from the disk.
  func removed(_ device: DeviceID) {
    // Earlier readings are outdated.
    looks[device] = nextLook()
    refresh(device)
    refreshAll()
  }

  private func apply(_ record: ModelPeer?, _ device: DeviceID, _ look: Int, then: @escaping () -> Void) {
    guard let record, record.sessionKey != nil else {
      if let link = link(device) {
        links.removeAll { $0 === link }
        link.end()
      }
      return then()
    }
    if let link = link(device) {
      guard link.machine.isEnded else {
        link.refresh(record)
        return then()
      }
      // The peer's removal ended the link, and the device was paired again meanwhile: it gets a new
      // link.
      links.removeAll { $0 === link }
    }
    disk.read {
      $0.streams(with: device)
    } then: { [unowned self] streams in
      // Another call may have created the link while the disk was read, or may have read a newer
      // state.
      if looks[device] ?? 0 > look, simulation.fault != .applyOlderLook { return refresh(device, then: then) }
      if let link = link(device) {
        link.refresh(record)
        return then()
      }
      let link = LinkRunner(self, record, streams)
      links.append(link)
      links.sort { $0.peer < $1.peer }
      link.run()
      then()
    }
  }

  /// Passes on that key rotations are durably queued for devices.
  func handOut(_ rotations: [ModelChange], then: @escaping () -> Void = {}) {
    guard let first = rotations.first else { return then() }
    refresh(first.device) { [unowned self] in
      committed([first])
      handOut(Array(rotations.dropFirst()), then: then)
    }
  }

  /// Tells the links which streams durably have new items.
  func committed(_ changes: [ModelChange]) {
    for change in changes { link(change.device)?.committed(change) }
  }
}

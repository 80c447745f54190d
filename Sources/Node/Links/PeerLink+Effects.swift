import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

extension PeerLink {
  /// Carries out one effect of the machine.
  ///
  /// Effects that wait run in a task.
  func run(_ effect: LinkEffect) {
    switch effect {
    case .send(let batch, let number): send(batch, number)
    case .read(let number): seats[number]?.reader.take()?.resume()
    case .proven(let number):
      seats[number]?.connection.authenticated()
      seats[number]?.ticket?.release()
    case .close(let number): leave(number)?.connection.close()
    case .abort(let number): leave(number)?.connection.abort()

    case .lookUpAddresses: spawn { await $0.lookUpAddresses() }
    case .call(let number, let endpoint, let keys, let offered): call(number, endpoint, keys, offered)
    case .giveUp(let number): calls.removeValue(forKey: number)?.giveUp()

    case .judge(let number, let hello): spawn { await $0.judge(number, hello) }
    case .load(let load): spawn { await $0.load(load) }
    case .commit(let runs, let key): spawn { await $0.commit(runs, in: key) }
    case .note(let note): spawn { await $0.note(note) }
    case .readStreams: spawn { await $0.readStreams() }

    case .tell(let news): tell(news)
    }
  }

  /// Encrypts a batch and sends it.
  ///
  /// A session that fails to encrypt is closed.
  private func send(_ batch: SessionBatch, _ number: Int) {
    guard var seat = seats[number] else { return }
    do throws(SessionFault) {
      let frame = try seat.cipher.seal(batch)
      seats[number] = seat
      seat.connection.send(frame)
      if !seat.connection.isWritable { filled(number) }
      guard seat.connection.unsentBytes > Limits.unsentBytes else { return }
      logger.notice("the peer does not read what it requested; ending the session")
      seat.connection.abort()
    } catch {
      logger.error("a batch could not be sealed", metadata: ["reason": "\(error)"])
      seat.connection.abort()
    }
  }

  private func leave(_ number: Int) -> LinkSeat? {
    guard let seat = seats.removeValue(forKey: number) else { return nil }
    seat.reader?.resume()
    return seat
  }
}

/// A machine that was set back. Spec: Protocol/05-delivery.md §5.
extension PeerLink {
  /// Asks a child's machine for a report, if this machine was restored to an earlier state.
  func askAfterSetBack() async {
    guard context.profile.role == .parent, record.device.role == .child, record.state == .active else { return }
    let wall = context.wall()
    let id = context.nextCommandID(wall)
    do throws(StoreError) {
      guard try await context.store.askAfterSetBack(peer, with: id) else { return }
      let issued = try await context.store.issue(id, to: peer, at: wall) { _, _ in .requestReport }
      logger.notice("this machine was set back; the peer is asked what it holds")
      committed(issued.change)
      context.expiryChanges.notify()
      context.changes.notify()
    } catch {
      // The next session asks again.
      logger.warning("the peer could not be asked what it holds", metadata: ["reason": "\(error)"])
    }
  }
}

/// The verification of removals and new keys, which only their sender could have created.
///
/// A forged one must not be ignored.
///
/// Items of another class, or from a sender that may not send them, are ignored like any other.
///
/// Spec: Protocol/06-messages.md §2, §7, §8.
struct ControlVerifier: Sendable {
  /// The peer's identity key; `nil` if the stored bytes are not a key, in which case no signature
  /// is accepted.
  let identity: IdentityPublicKey?
  let sender: DeviceID
  let receiver: DeviceID
  /// The role that was agreed on in the pairing.
  let senderRole: DeviceRole

  /// Throws `SessionFault.violation`, the peer's fault, if the run contains a forged or malformed
  /// item.
  func verify(_ run: ItemRun) throws(SessionFault) {
    guard run.streamClass == .control else { return }
    for item in run.items where item.kind == .keyRotation && senderRole == .parent {
      guard (try? MessageBodyCoding().rotation(item.body)) != nil else {
        throw .violation("new keys that are malformed")
      }
    }
    for item in run.items where item.kind == .removal {
      guard let identity,
        RemovalNotice.isGenuine(item.body, identity: identity, sender: sender, receiver: receiver)
      else { throw .violation("a removal that its sender did not sign") }
    }
  }
}

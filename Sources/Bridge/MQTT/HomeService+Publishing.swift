import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// What a bridge publishes of the children that it serves: their states, and the events of notices.
///
/// Spec: Protocol/14-bridge.md §4.
extension HomeService {
  /// The time in which a bridge that was asked must publish its claim again.
  ///
  /// After it, the bridge counts as gone.
  ///
  /// A broker that was killed has published no will, and may keep a bridge's `online` for ever.
  private static let answerTime = Duration.seconds(15)
  /// The pause after `answerTime` until the bridge is asked again.
  private static let answerPause = Duration.seconds(45)
  private static let mostToldRequests = 256

  /// Asks the node, and publishes the changes.
  ///
  /// Returns the time until the next look.
  func look() async throws -> Duration? {
    let told: ParentNotices
    do {
      // The notices are read first, so that the snapshot has the child and the request of each.
      told = try await bridge.notices()
      snapshot = try await HomeSnapshot.read(bridge.node(), before: snapshot)
    } catch {
      snapshot = snapshot?.withoutNode
      await publish()
      throw error
    }
    await publish()
    let quiet = try await tell(told)
    return [snapshot?.next, quiet].compactMap(\.self).min()
  }

  /// Publishes everything that the broker does not have yet.
  ///
  /// Several calls during a run cause one more run.
  func publish() async {
    guard !isPublishing else {
      isAgain = true
      return
    }
    isPublishing = true
    repeat {
      isAgain = false
      await publishOnce()
    } while isAgain
    isPublishing = false
  }

  private func publishOnce() async {
    guard let snapshot, let link, link.isComplete else { return }
    var other = false
    for (key, child) in snapshot.children.sorted(by: { $0.key < $1.key }) {
      switch self.link?.claims.standing(of: key) {
      case .own?:
        if since[key] == nil { since[key] = SystemClock.boot.milliseconds }
        await publish(child, key)
      case .free?:
        since[key] = nil
        await put(HomeTopics.claim(key), Array(own.utf8))
      case .other?:
        (since[key], other) = (nil, true)
        forget(key)
        await ask(key)
      case nil: return
      }
    }
    for key in link.claims.owned.subtracting(snapshot.children.keys) { await remove(key) }
    // If the connection has ended meanwhile, the reason is reported instead.
    guard self.link?.connection === link.connection, !link.connection.hasEnded else { return }
    await bridge.report(other ? Self.otherServes : clockFault)
  }

  private static let otherServes =
    "The bridge of another parent serves Home Assistant for this family, and this one takes over when that one is "
    + "gone. If no other parent has a bridge, somebody else writes to its topics: give the bridge a user of its own at "
    + "the broker, and an access list."

  private func publish(_ child: HomeSnapshot.Child, _ key: String) async {
    let device = HomeDevice(child.name, child: key, bridge: own, rights: rights)
    guard let config = try? LocalJSON.encode(device), let state = try? LocalJSON.encode(child.state) else { return }
    await put(HomeTopics.discovery(key), config)
    if link?.states[key]?.essence != child.state.essence {
      await put(HomeTopics.state(key), state)
      link?.states[key] = child.state
    }
    await put(HomeTopics.fresh(key), child.isFresh ? Self.online : Self.offline)
  }

  /// Removes a child from Home Assistant and from the broker.
  func remove(_ key: String) async {
    for topic in HomeTopics.retained(key) { await put(topic, []) }
    since[key] = nil
    link?.claims.note(claim: "", of: key)
    link?.states[key] = nil
  }

  /// Publishes a retained payload that the broker does not have yet.
  func put(_ topic: String, _ payload: [UInt8]) async {
    guard let connection = link?.connection, link?.published[topic] != payload else { return }
    link?.published[topic] = payload
    _ = await connection.publish(topic, payload, isRetained: true)
  }

  /// Forgets the published payloads of a child that another bridge serves.
  private func forget(_ key: String) {
    for topic in [HomeTopics.discovery(key), HomeTopics.state(key), HomeTopics.fresh(key)] {
      link?.published[topic] = nil
    }
    link?.states[key] = nil
  }

  /// Asks the bridge that has claimed a child to publish its claim again, unless it was asked a
  /// short time ago.
  private func ask(_ key: String) async {
    guard let connection = link?.connection, let number = link?.claims.question(about: key) else { return }
    // The task ends by itself, and has no effect if the connection has changed by then.
    Task {
      try? await Task.sleep(for: Self.answerTime)
      guard await !giveUp(number, key, connection) else { return }
      try? await Task.sleep(for: Self.answerPause)
      await askAgain(number, key, connection)
    }
    _ = await connection.publish(HomeTopics.who(key), Array(own.utf8), isRetained: false)
  }

  /// Counts a bridge that has not answered as gone.
  ///
  /// Returns whether there is nothing more to ask.
  private func giveUp(_ number: Int, _ key: String, _ connection: MQTTConnection) async -> Bool {
    guard link?.connection === connection else { return true }
    guard link?.claims.giveUp(number, about: key) == true else { return false }
    await publish()
    return true
  }

  /// Asks the bridge that has claimed a child once more, if it still claims the child.
  private func askAgain(_ number: Int, _ key: String, _ connection: MQTTConnection) async {
    guard link?.connection === connection, link?.claims.expire(number, about: key) == true else { return }
    await publish()
  }
}

// MARK: - Events

extension HomeService {
  /// Publishes the events of notices, and moves the receiver's position behind each.
  ///
  /// Returns the time until the next look.
  private func tell(_ told: ParentNotices) async throws -> Duration? {
    guard link?.isComplete == true else { return nil }
    for notice in told.notices {
      if let child = snapshot?.children.first(where: { $0.value.name == notice.child?.text })?.key {
        switch link?.claims.standing(of: child) {
        case .own?:
          for event in ChildEvent.of(notice, snapshot?.requests ?? []) where !toldRequests.contains(event.request ?? "")
          {
            guard await tell(event, of: child) else { return nil }
            if let request = event.request { toldRequests.append(request) }
            if toldRequests.count > Self.mostToldRequests { toldRequests.removeFirst() }
          }
        // The bridge that serves the child publishes the event, if that bridge is alive. Its answer
        // is awaited.
        case .other?: guard link?.claims.isAnswered(child) == true else { return .seconds(1) }
        // This bridge's claim is on its way. There is another look when it has arrived.
        case .free?: return .seconds(1)
        case nil: return nil
        }
      }
      try await bridge.keep(notice.number)
    }
    return told.quietUntil.map { .milliseconds(max(1_000, $0 - WallClock.now())) }
  }

  /// Publishes an event, and returns whether the broker has confirmed it.
  func tell(_ event: ChildEvent, of child: String) async -> Bool {
    guard let payload = try? LocalJSON.encode(event), let connection = link?.connection else { return false }
    return await connection.publish(HomeTopics.event(child), payload, isRetained: false)
  }
}

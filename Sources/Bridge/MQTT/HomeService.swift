import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Logging

/// The work of a bridge on its connections to a broker: it claims children, publishes their states,
/// and carries out presses.
///
/// Spec: Protocol/14-bridge.md §4.
actor HomeService {
  static let (online, offline) = (Array("online".utf8), Array("offline".utf8))

  let bridge: Bridge
  let rights: [ReceiverRight]
  /// The name of this bridge in topics.
  let own: String
  private var rules: PressRules
  var snapshot: HomeSnapshot?
  /// The connection in use, with its state; `nil` without one.
  var link: Link?
  /// When this bridge began to serve each child, on the boot clock in milliseconds.
  var since: [String: Int64] = [:]
  var clockFault: String?
  /// The requests that were told, the oldest first.
  ///
  /// A notice about several requests within a minute replaces the one before, and names all of
  /// them.
  var toldRequests: [String] = []
  var (isPublishing, isAgain) = (false, false)
  /// A Boolean value that indicates whether everything that this bridge left at the broker is
  /// removed.
  private(set) var isCleared = false

  /// A connection, with the claims learned and the payloads published on it.
  struct Link {
    var connection: MQTTConnection
    var claims: ClaimBook
    /// A Boolean value that indicates whether everything that the broker had kept has arrived.
    var isComplete = false
    /// The children whose claims were removed so that other bridges take them over; `nil` before
    /// that.
    var offered: Set<String>?
    /// The children that another bridge had claimed when the claims were removed, and about whom
    /// this bridge may have published something.
    var contested: Set<String> = []
    /// The last payload published to each retained topic.
    var published: [String: [UInt8]] = [:]
    var states: [String: ChildState] = [:]
  }

  init(_ bridge: Bridge, own: String, rights: [ReceiverRight]) {
    (self.bridge, self.rights, self.own) = (bridge, rights, own)
    rules = PressRules(rights)
  }

  nonisolated var will: (topic: String, payload: String) { (HomeTopics.online(own), "offline") }
  nonisolated var clientName: String { "latchkey-\(own)" }
}

// MARK: - Connections

extension HomeService {
  func start(_ connection: MQTTConnection) async {
    link = Link(connection: connection, claims: ClaimBook(own: own))
    for filter in HomeTopics.filters(rights) { connection.subscribe(filter) }
    // The broker answers in order. When this message arrives, everything that it has kept has
    // arrived.
    _ = await connection.publish(HomeTopics.online(own), Self.online, isRetained: true)
  }

  func stop(_ connection: MQTTConnection) { if link?.connection === connection { link = nil } }

  /// Publishes `offline` and disconnects, so that another bridge can take over at once.
  func leave() async {
    guard let connection = link?.connection else { return }
    link = nil
    _ = await connection.publish(HomeTopics.online(own), Self.offline, isRetained: true)
    connection.close()
  }

  /// Removes this bridge's claims, so that another bridge takes the children over and Home
  /// Assistant keeps their entities.
  ///
  /// A bridge that has claimed a child is asked whether its claim is alive. Anyone who may write
  /// can forge a claim. Without the question, a forged claim would keep this bridge's topics at the
  /// broker. `children` are those whom this bridge may have served.
  func offer(_ children: Set<String>) async {
    guard link?.offered == nil, let claims = link?.claims else { return }
    let owned = claims.owned
    link?.offered = owned
    link?.contested = children.filter(claims.isTaken)
    for key in children.sorted() where link?.claims.question(about: key) != nil {
      _ = await link?.connection.publish(HomeTopics.who(key), Array(own.utf8), isRetained: false)
    }
    for key in owned.sorted() {
      link?.claims.note(claim: "", of: key)
      await put(HomeTopics.claim(key), [])
    }
  }

  /// A Boolean value that indicates whether there is nothing more to wait for: every child has been
  /// taken over, or no other bridge is online.
  ///
  /// A broker that was killed may keep a bridge's `online` for ever.
  var isTakenOver: Bool {
    guard let link, let offered = link.offered else { return false }
    return !link.claims.hasOthers
      || offered.allSatisfy { link.claims.isTaken($0) } && link.contested.allSatisfy { link.claims.isAnswered($0) }
  }

  /// Removes from the broker the topics of this bridge that no other bridge has taken over, and
  /// disconnects.
  func clear() async {
    guard let connection = link?.connection, !isCleared, let offered = link?.offered else { return }
    isCleared = true
    for key in offered.sorted() where link?.claims.isTaken(key) == false { await remove(key) }
    for key in (link?.contested ?? []).sorted() where link?.claims.isAnswered(key) == false { await remove(key) }
    _ = await connection.publish(HomeTopics.online(own), [], isRetained: true)
    link = nil
    connection.close()
  }

  /// Returns whether everything that the broker had kept has arrived on a connection.
  func isComplete(_ connection: MQTTConnection) -> Bool { link?.connection === connection && link?.isComplete == true }

  /// Handles a message, and returns a press that is to be carried out.
  func take(_ message: MQTTMessage) async -> (child: String, press: Press.Read)? {
    guard let subject = HomeTopics.subject(message.topic), link != nil else { return nil }
    let text = String(decoding: message.payload, as: UTF8.self)
    switch subject {
    case .online(let bridge):
      link?.claims.note(bridge, isOnline: text == "online")
      if bridge == own, text == "online", !message.isRetained { link?.isComplete = true }
      // This is the will of an earlier connection, or another client's message.
      if bridge == own, text == "offline", link?.isComplete == true {
        _ = await link?.connection.publish(HomeTopics.online(own), Self.online, isRetained: true)
      }
      await publish()
    case .claim(let child):
      link?.claims.note(claim: text, of: child, isLive: !message.isRetained)
      link?.published[message.topic] = message.payload
      await publish()
    case .who(let child):
      guard !message.isRetained, text != own, link?.claims.standing(of: child) == .own else { return nil }
      _ = await link?.connection.publish(HomeTopics.claim(child), Array(own.utf8), isRetained: true)
    case .birth:
      guard text == "online" else { return nil }
      link?.published = [:]
      link?.states = [:]
      await publish()
    case .press(let child, let right): return await decide(message, child, right)
    }
    return nil
  }
}

// MARK: - Presses

extension HomeService {
  private func decide(_ message: MQTTMessage, _ child: String, _ right: ReceiverRight) async -> (String, Press.Read)? {
    guard link?.claims.standing(of: child) == .own, let since = since[child], snapshot?.children[child] != nil else {
      return nil
    }
    let decision = rules.decide(
      message, child: child, right, wall: WallClock.now(), boot: SystemClock.boot.milliseconds, since: since)
    switch decision {
    case .take(let press):
      clockFault = nil
      return (child, press)
    case .refuse(let refusal):
      bridge.logger.debug("a press is refused", metadata: ["why": "\(refusal)"])
      guard let sentence = refusal.sentence else { return nil }
      if let fault = refusal.clockFault, clockFault != fault {
        clockFault = fault
        await publish()
      }
      await refuse(child, sentence)
      return nil
    }
  }

  private func refuse(_ child: String, _ sentence: String) async {
    bridge.logger.notice("a press is not carried out", metadata: ["why": "\(sentence)"])
    _ = await tell(ChildEvent(type: ChildEvent.refused, sentence: sentence, at: WallClock.now()), of: child)
  }

  /// Publishes that a press was not carried out, because too many wait for the node.
  func refuseFlood(of child: String) async { await refuse(child, PressRules.Refusal.tooMany.sentence ?? "") }

  /// Carries out a press, and publishes the state that follows.
  ///
  /// A press is never tried again. The node carries out a repeated press once, also one that a
  /// later run receives.
  func carryOut(_ read: Press.Read, for child: String) async {
    guard let id = snapshot?.children[child]?.id.description else { return }
    do {
      let node = try await bridge.node(for: read.key)
      switch read.press {
      case .grant(let minutes): _ = try await node.ask(Endpoints.grantTime, (id, GrantRequest(minutes: minutes)))
      case .lock(let on):
        _ = try await node.ask(Endpoints.setRules, (id, RuleRequest([.init("lock", on ? "on" : "off")])))
      case .points(let milliPoints, let reason):
        _ = try await node.ask(
          Endpoints.adjustPoints, PointsAdjustment(child: id, milliPoints: milliPoints, reason: reason))
      case .answer(let request, let isApproved, let minutes):
        // The topic names the child, so only that child's requests count.
        let known = try await node.ask(Endpoints.getRequests, id).map(\.requestID.description)
        let fits = known.filter { $0.hasPrefix(request.lowercased()) }
        guard let whole = fits.first, fits.count == 1 else {
          return await refuse(child, "There is no such request of this child's, or more than one: give its whole ID.")
        }
        _ = try await node.ask(
          Endpoints.answerRequest, AnswerRequest(request: whole, isApproved: isApproved, minutes: minutes))
      }
    } catch {
      await refuse(child, (error as? LocalAPIError)?.message ?? "Latchkey does not run: press again when it does.")
    }
    // The present state is the answer, also if nothing has changed.
    link?.states[child] = nil
    bridge.lookAgain()
  }
}

import FoundationEssentials
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The reader of the buttons' topic: it brings the presses of a phone to the node.
///
/// Spec: Protocol/14-bridge.md §2.
actor NtfyPresses {
  private enum Result {
    /// The node is away or busy.
    case again
    case done(sentences: [String], isAnswered: Bool, answered: [RequestListing])
  }

  /// The largest number of presses that are remembered.
  ///
  /// The node refuses older ones.
  private static let mostUsed = 256
  /// The age from which a foreign message does not count, in seconds.
  private static let foreignSeconds: Int64 = 3_600

  private let settings: NtfySettings
  private let bridge: Bridge
  private let client: WebClient
  private let teller: NtfyTeller
  private let clock = ContinuousClock()

  /// The ID of the last message that was handled, in this run or an earlier one.
  private var last: String?
  /// When `last` was stored for a later run.
  private var keptAt: ContinuousClock.Instant?
  /// The shortest time between two writes of `last`, so that a flood of messages causes few writes.
  private static let keepingTime: Duration = .seconds(30)
  /// The presses that were handled, the oldest first.
  private var used: [String] = []
  private var dropped = DropCount()
  private var pace = TopicPace()
  private var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
  private var wasOpened = false
  /// The last report about the topic.
  private var said: String?

  init(_ settings: NtfySettings, _ bridge: Bridge, _ client: WebClient, _ teller: NtfyTeller) {
    (self.settings, self.bridge, self.client, self.teller) = (settings, bridge, client, teller)
  }

  /// Reads the topic until it is cancelled.
  ///
  /// It opens the stream again whenever it ends.
  func run() async {
    last = await teller.lastRead
    while !Task.isCancelled {
      wasOpened = false
      let url = "\(settings.server)/\(settings.in)/json?since=\(last ?? "all")"
      let end = await client.lines(
        url, settings.headers, opened: { await self.opened() }, take: { await self.take($0) })
      if Task.isCancelled { return }
      let server = settings.server.server
      var sentence: String?
      switch end {
      case .success(let status) where (200..<300).contains(status): break
      case .success(let status): sentence = NtfyFault.sentence(status, of: server, to: .read)
      case .failure(let fault): sentence = fault.sentence(of: server)
      }
      let pause = backoff.failed()
      // If a stream was open and has ended, the fault is reported only if it cannot be opened
      // again.
      if !wasOpened, let sentence { await teller.report(sentence, .reading) }
      do { try await Task.sleep(for: pause) } catch { return }
    }
  }

  private func opened() async {
    wasOpened = true
    backoff.succeeded()
    await teller.report(nil, .reading)
  }

  /// Handles a line of the stream, and returns whether to read on.
  private func take(_ line: [UInt8]) async -> Bool {
    var pause: Duration?
    if let event = try? JSONDecoder().decode(NtfyEvent.self, from: Data(line)), event.event == "message" {
      let isOld = event.time.map { WallClock.now() / 1_000 - $0 > Self.foreignSeconds } ?? false
      await handle(event.message ?? "", isOld: isOld)
      if event.hasPlainID { last = event.id }
      pause = pace.count(at: clock.now)
    }
    await keep()
    // This is done at each line, so that keep-alive lines also cause the log entry of the last
    // drops.
    dropped.log(at: clock.now, bridge.logger)
    await report(pace.sentence(at: clock.now) ?? dropped.sentence(at: clock.now))
    if let pause {
      do { try await Task.sleep(for: pause) } catch { return false }
    }
    return !Task.isCancelled
  }

  /// Stores the last message that was read, so that a later run does not read the whole topic
  /// again.
  private func keep() async {
    guard let last, keptAt.map({ clock.now - $0 >= Self.keepingTime }) ?? true, await teller.lastRead != last else {
      return
    }
    keptAt = clock.now
    await teller.hasRead(last)
  }

  /// Reports a fault of the topic, if it has changed.
  private func report(_ sentence: String?) async {
    guard sentence != said else { return }
    said = sentence
    await teller.report(sentence, .topic)
  }

  /// Handles a message.
  ///
  /// The bridge answers it only if it is a press of a button and in time.
  private func handle(_ text: String, isOld: Bool) async {
    guard let code = ButtonCode.read(text, key: settings.key) else {
      // An old message does not show who posts to the topic now.
      return drop(isOld ? .old : .foreign)
    }
    let ids = code.requests.map(\.description).joined(separator: "-")
    guard !used.contains(ids), !used.contains("\(ids) \(code.choice)") else { return drop(.duplicate) }
    var pauses = Backoff(first: .seconds(1), longest: .seconds(60))
    while !Task.isCancelled {
      await teller.begins(code.requests)
      switch await answer(code) {
      case .again:
        await teller.ended(code.requests, [], isAnswered: false)
        do { try await Task.sleep(for: pauses.failed()) } catch { return }
      case .done(let sentences, let isAnswered, let answered):
        // After a refusal, another button of the same notice may still be pressed.
        use(isAnswered ? ids : "\(ids) \(code.choice)")
        if sentences.isEmpty { drop(.late) }
        return await teller.ended(code.requests, sentences, isAnswered: isAnswered, answered: answered)
      }
    }
  }

  private func drop(_ reason: DropCount.Reason) { dropped.add(reason, at: clock.now) }

  private func use(_ press: String) {
    used.append(press)
    if used.count > Self.mostUsed { used.removeFirst() }
  }

  /// Answers those requests of a press that are open.
  private func answer(_ code: ButtonCode) async -> Result {
    var (sentences, isAnswered, done) = ([String](), true, [RequestListing]())
    do {
      let node = try await bridge.node()
      let listed = try await node.ask(Endpoints.getRequests, nil)
      for request in listed where request.state == .open && code.requests.contains(request.requestID) {
        do throws(LocalAPIError) {
          let answered = try await node.ask(Endpoints.answerRequest, code.choice.answer(to: request))
          sentences.append(teller.outcome(answered))
          done.append(answered)
        } catch {
          switch error.code {
          case .tooLate, .unknownItem: continue
          case .limit: sentences.append("Not done: no more time may be given from here today.")
          case .forbidden: sentences.append("Not done: this phone may not answer any more.")
          case .invalid, .wrongRole: sentences.append("Not done: answer on a parent’s machine.")
          default: return .again
          }
          isAnswered = false
        }
      }
      return .done(sentences: sentences, isAnswered: isAnswered, answered: done)
    } catch {
      return .again
    }
  }
}

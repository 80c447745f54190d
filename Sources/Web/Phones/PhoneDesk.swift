import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import Synchronization

/// The desk that lets phones in, for the pages of this machine and those of phones.
///
/// Spec: Protocol/15-pages.md §8.
final class PhoneDesk: Sendable {
  struct Shown: Sendable {
    /// A Boolean value that indicates whether phones may come to the trust step.
    var isOpen = false
    /// The addresses at which phones reach this machine.
    ///
    /// Codes use the first one.
    var addresses: [String] = []
    var place: PhonePlace?
    /// The beginning of the authority's fingerprint, for a person to compare.
    var comparison: String?
    /// The code for the next phone, while it can be used.
    var code: String?
    /// The time for which the code can be used, in seconds.
    var secondsLeft = 0
    var waiting: PhoneEntry.Claim?
    /// The fault that keeps phones from the pages.
    var fault: Phrase?
    /// The names under which a person's own proxy leads phones to the pages.
    var hosts: [String] = []
  }

  private struct State {
    var entry = PhoneEntry()
    /// The code in plain text, for the page that shows it.
    var code: String?
    var place: PhonePlace?
    var addresses: [String] = []
    var fault: Phrase?
  }

  let folder: CertificateFolder
  private let proxies: ProxyHosts
  private let stateFolder: String
  private let open: ChangeFeed.Opening
  private let state: Mutex<State>
  private let whenChanged = Mutex<(@Sendable () -> Void)?>(nil)

  init(stateFolder: String, open: @escaping ChangeFeed.Opening) {
    (folder, self.stateFolder) = (CertificateFolder(stateFolder: stateFolder), stateFolder)
    (self.open, proxies) = (open, ProxyHosts(stateFolder: stateFolder))
    state = Mutex(State(place: PhonePlace.read(in: stateFolder)))
  }

  private static var now: Int64 { SystemClock.boot.milliseconds }

  /// Sets the function that is called when something that pages show has changed.
  func whenChanged(_ body: @escaping @Sendable () -> Void) { whenChanged.withLock { $0 = body } }
  private func tell() { whenChanged.withLock { $0 }?() }

  /// A Boolean value that indicates whether phones are let in, as far as this process knows, or may
  /// come.
  var isNeeded: Bool { isOpen || folder.hasAuthority }
  var isOpen: Bool { state.withLock { $0.entry.isOpen(Self.now) } }

  var shown: Shown {
    let (authority, hosts, now) = (folder.authority, hosts, Self.now)
    return state.withLock { state in
      let left = state.entry.codeLeft(now)
      return Shown(
        isOpen: state.entry.isOpen(now), addresses: state.addresses, place: state.place,
        comparison: authority?.comparison, code: left > 0 ? state.code : nil, secondsLeft: Int((left + 999) / 1_000),
        waiting: state.entry.waiting(now), fault: state.fault, hosts: hosts)
    }
  }
}

// MARK: - At this machine

extension PhoneDesk {
  /// Lets phones come, and creates the authority if this is the first phone.
  ///
  /// - Throws: `PageFault` or an error of the node, whose sentence a page shows.
  func begin() async throws {
    let node = try await open()
    let status = try await node.ask(Endpoints.getStatus)
    let browsers = try await node.ask(Endpoints.getBrowsers)
    do throws(WebFault) {
      try folder.prepare()
      let place = try ownPlace()
      if folder.authority == nil {
        // If a new authority replaced a lost one silently, every phone would show a warning.
        guard browsers.isEmpty else { throw CertificateFolder.lost }
        try await folder.makeAuthority(name: place.name, isLoopback: status.interfaces?.contains("lo") ?? false)
      }
    } catch { throw PageFault(507, error.phrase) }
    state.withLock { $0.entry.open(now: Self.now) }
    tell()
  }

  /// Returns the name and the ports.
  ///
  /// They are chosen once.
  private func ownPlace() throws(WebFault) -> PhonePlace {
    if let place = state.withLock({ $0.place }) { return place }
    let ports = Self.freePorts()
    guard ports.count == 2 else {
      throw WebFault(
        phrase: Phrase("No port of this machine is free: end programs that listen on many, and try again."))
    }
    let name = "lk-\(Crockford.encode(SecureRandom.bytes(5)).lowercased()).local"
    let place = PhonePlace(name: name, port: ports[0], trustPort: ports[1])
    guard place.write(in: stateFolder) else {
      throw WebFault(
        phrase: Phrase("The folder of phones cannot be written: check the disk, and the rights of the node's folder."))
    }
    state.withLock { $0.place = place }
    return place
  }

  /// Returns two free ports below the range for outgoing connections.
  private static func freePorts() -> [Int] {
    var ports: [Int] = []
    for _ in 0..<64 where ports.count < 2 {
      let port = Int.random(in: 21_000...29_999)
      if !ports.contains(port), LoopbackPort.isFree(port) { ports.append(port) }
    }
    return ports
  }

  func offer() {
    let code = PhoneCode.text(SecureRandom.bytes(PhoneCode.bytes))
    state.withLock { state in
      state.entry.offer(code, now: Self.now)
      state.code = code
    }
    tell()
  }

  func end() {
    state.withLock { state in
      state.entry.close()
      state.code = nil
    }
    tell()
  }

  /// Lets the waiting phone in, if the person has seen these digits on it.
  ///
  /// - Throws: `PageFault` or an error of the node, whose sentence a page shows.
  func accept(digits: Int, label: String, right: BrowserRight) async throws {
    guard let waiting = state.withLock({ $0.entry.waiting(Self.now) }), waiting.digits == digits else {
      throw Self.gone
    }
    let cookie = Hexadecimal.encode(SecureRandom.bytes(SessionTable.secretBytes))
    let new = NewBrowser(
      label: label, right: right, address: waiting.address,
      cookieHash: Hexadecimal.encode(SHA256.hash([UInt8](cookie.utf8))))
    if let fault = new.textFault { throw LocalAPIError(.invalid, fault) }
    let node = try await open()
    let browser = try await node.ask(Endpoints.addBrowser, new)
    guard state.withLock({ $0.entry.answer(digits: digits, cookie: cookie, now: Self.now) }) else {
      _ = try await node.ask(Endpoints.deleteBrowser, browser.browserID)
      throw Self.gone
    }
    tell()
  }

  func refuse(digits: Int) throws(PageFault) {
    guard state.withLock({ $0.entry.answer(digits: digits, cookie: nil, now: Self.now) }) else { throw Self.gone }
    tell()
  }

  private static let gone = PageFault(
    409, "That phone does not wait any more: show a new code, and let the phone read it.")
}

// MARK: - For phones

extension PhoneDesk {
  /// Uses a code up.
  ///
  /// Returns the result and, if the code was accepted, the phone's cookie.
  func claim(_ code: String, from address: String, kind: String) -> (outcome: PhoneEntry.Outcome, cookie: String?) {
    let secret = Hexadecimal.encode(SecureRandom.bytes(SessionTable.secretBytes))
    let (outcome, isNews) = state.withLock { state in
      let (now, before) = (Self.now, state.entry.codeLeft(Self.now) > 0)
      let outcome = state.entry.use(
        PhoneCode.read(code), secret: secret, digits: Int.random(in: 10...99), address: address, kind: kind, now: now)
      let isEnded = before && state.entry.codeLeft(now) == 0
      if isEnded { state.code = nil }
      return (outcome, isEnded)
    }
    // Wrong codes do not make open pages ask again, because anyone in the network can send many.
    if isNews { tell() }
    return (outcome, outcome == .claimed ? secret : nil)
  }

  /// Returns the answer to a phone that waits.
  func standing(_ secret: String) -> PhoneEntry.Standing {
    let standing = state.withLock { $0.entry.standing(secret: secret, now: Self.now) }
    if case .letIn = standing { tell() }
    return standing
  }
}

// MARK: - Listeners

extension PhoneDesk {
  var place: PhonePlace? { state.withLock { $0.place } }

  /// The names under which a person's own proxy leads phones to the pages.
  var hosts: [String] { proxies.names }

  /// Returns the host name of a request as an origin has it; `nil` if the pages do not have this
  /// name.
  ///
  /// `arrived` is the address and port where the request arrived; empty if only a proxy is answered
  /// there.
  func host(_ asked: String?, at arrived: String) -> String? {
    guard let asked = asked?.lowercased() else { return nil }
    if !arrived.isEmpty, asked == arrived { return arrived }
    guard let name = ProxyHosts.name(asked) else { return nil }
    return hosts.first { $0 == name }
  }

  /// Stores the addresses at which phones reach this machine at present, and the fault that keeps
  /// them from it.
  func listens(at addresses: [String], fault: Phrase?) {
    let (isNew, place) = state.withLock { state in
      let isNew =
        state.addresses != addresses || state.fault != fault || state.place.map { $0.addresses != addresses } ?? false
      (state.addresses, state.fault) = (addresses, fault)
      state.place?.addresses = addresses
      return (isNew, state.place)
    }
    guard isNew else { return }
    _ = place?.write(in: stateFolder)
    tell()
  }

  /// Returns the browsers that were let in, and the interfaces that a person chose for the node;
  /// `nil` if the node does not answer.
  func ask() async -> (browsers: [BrowserListing], interfaces: [String]?)? {
    do {
      let node = try await open()
      let status = try await node.ask(Endpoints.getStatus)
      guard status.role == .parent else { return ([], nil) }
      return (try await node.ask(Endpoints.getBrowsers), status.interfaces)
    } catch { return nil }
  }
}

import Glibc
import HummingbirdCore
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// The listeners for phones: one for the pages, with TLS, and one for the trust step.
///
/// They exist only while phones are let in or may come, at this machine's private addresses.
///
/// Spec: Protocol/15-pages.md §8.
struct PhoneService: Sendable {
  /// The time between two checks of addresses, certificates and phones while phones are let in.
  private static let pause: Duration = .seconds(10)
  /// The address at which a proxy on this machine finds the pages.
  static let proxyAddress = "127.0.0.1"

  let desk: PhoneDesk
  let responder: PhoneResponder
  let feed: ChangeFeed
  let logger: Logger
  /// A signal for each change at the desk.
  let changes: AsyncStream<Void>

  private struct Plan: Hashable {
    var addresses: [String] = []
    var port = 0
    /// The port of the trust step; `nil` while it is closed.
    var trustPort: Int?
    var leaf: CertificateFolder.Leaf?
    /// A Boolean value that indicates whether phones are let in or may come.
    var isNeeded = false
    /// A Boolean value that indicates whether there is a listener only for a proxy.
    var isProxied = false

    /// A Boolean value that indicates whether there is an address to listen at.
    var isServed: Bool { !addresses.isEmpty || isProxied }
  }

  /// Listens whenever phones need it, until the task is cancelled.
  func run() async {
    let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await _ in changes { wakes.continuation.yield() }
        wakes.continuation.finish()
      }
      var known = Plan(isNeeded: desk.folder.hasAuthority)
      var iterator = wakes.stream.makeAsyncIterator()
      while !Task.isCancelled {
        known = await plan(after: known)
        let next = known
        if !next.isServed {
          if next.isNeeded { group.addTask { await Self.wake(wakes.continuation) } }
          _ = await iterator.next()
        } else {
          known = await serve(next, &iterator, wakes.continuation)
        }
      }
      group.cancelAll()
    }
  }

  private static func wake(_ wakes: AsyncStream<Void>.Continuation) async {
    do { try await Task.sleep(for: pause) } catch { return }
    wakes.yield()
  }

  /// Serves according to a plan until the plan changes, and returns the new one.
  private func serve(
    _ plan: Plan, _ iterator: inout AsyncStream<Void>.AsyncIterator, _ wakes: AsyncStream<Void>.Continuation
  ) async -> Plan {
    let servers: [any Service]
    do { servers = try self.servers(plan) } catch {
      desk.listens(
        at: [],
        fault: Phrase(
          "The certificate for phones cannot be used ({why}): see the log of `latchkey web`.",
          ["why": .text("\(error)")]))
      await Self.wake(wakes)
      return Plan(isNeeded: plan.isNeeded)
    }
    // This comes before a server can report that its port is taken.
    desk.listens(at: plan.addresses, fault: nil)
    let tasks = servers.map { server in
      // A server ends with its task; it fails if its port is taken.
      Task {
        do { try await server.run() } catch let error as IOError {
          desk.listens(at: [], fault: Self.sentence(plan, error))
          wakes.yield()
        } catch {}
      }
    }
    logger.info("phones reach the pages", metadata: ["port": "\(plan.port)"])
    var next = plan
    while next == plan, !Task.isCancelled {
      let timer = Task { await Self.wake(wakes) }
      _ = await iterator.next()
      timer.cancel()
      if desk.shown.fault != nil { break }
      next = await self.plan(after: plan)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    if desk.shown.fault != nil {
      // Another program has the port. It is tried again.
      await Self.wake(wakes)
    }
    return next
  }

  private static func sentence(_ plan: Plan, _ error: IOError) -> Phrase {
    guard error.errnoCode == EADDRINUSE else {
      return Phrase(
        "Phones cannot reach the pages ({why}): look at the network of this machine.",
        ["why": .text(String(cString: strerror(error.errnoCode)))])
    }
    return Phrase(
      """
      Another program listens on port {port} or its neighbour, which phones know: end it, and the pages are there again.
      """, ["port": .number(plan.port)])
  }

  /// Returns the present plan.
  ///
  /// Renews the certificate, and erases all certificates after the last phone was removed.
  private func plan(after last: Plan) async -> Plan {
    let isOpen = desk.isOpen
    // The node is not asked while no phone is let in and none may come.
    guard isOpen || desk.folder.hasAuthority || last.isNeeded, let place = desk.place else {
      desk.listens(at: [], fault: nil)
      return Plan()
    }
    // While the node does not answer, the last plan stays.
    guard let known = await desk.ask() else { return last }
    // Phones may have been allowed to come while the node was asked.
    if known.browsers.isEmpty, !isOpen, !desk.isOpen {
      desk.folder.erase()
      desk.listens(at: [], fault: nil)
      return Plan()
    }
    let addresses = PrivateAddresses.present(NetworkInterface.all() ?? [], chosen: known.interfaces)
    let isProxied = !desk.hosts.isEmpty && !addresses.contains(Self.proxyAddress)
    var leaf = desk.folder.leaf
    let now = WallClock.now() / 1_000
    if !addresses.isEmpty || isProxied, CertificateFolder.isDue(leaf, for: addresses, now: now) {
      do throws(WebFault) {
        try await desk.folder.makeLeaf(name: place.name, addresses: addresses)
        leaf = desk.folder.leaf
        logger.info("the certificate for phones was made anew")
      } catch {
        logger.warning("no certificate was made", metadata: ["why": "\(error.sentence)"])
        // The present certificate may be valid for some addresses, until its end.
        if leaf.map({ $0.until <= now }) ?? true {
          desk.listens(at: [], fault: error.phrase)
          return Plan(isNeeded: true)
        }
      }
    }
    guard let leaf else { return Plan(isNeeded: true) }
    return Plan(
      addresses: addresses.filter { leaf.addresses.contains($0) }, port: place.port,
      trustPort: isOpen ? place.trustPort : nil, leaf: leaf, isNeeded: true, isProxied: isProxied)
  }

  private func servers(_ plan: Plan) throws -> [any Service] {
    guard let leaf = plan.leaf else { return [] }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(try NIOSSLCertificate(bytes: leaf.pem, format: .pem))],
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: leaf.pem, format: .pem)))
    configuration.minimumTLSVersion = .tlsv12
    let counter = PhoneCounter()
    let (responder, trust) = (responder, TrustResponder(desk: desk))
    var servers: [any Service] = []
    for address in plan.addresses {
      servers.append(
        try server(address, plan.port, configuration, counter) { request, host in await responder.answer(request, host)
        })
      if let port = plan.trustPort {
        servers.append(try server(address, port, nil, counter) { request, host in trust.answer(request, host) })
      }
    }
    if plan.isProxied {
      // The certificate is not for this address. Only a proxy is answered there.
      servers.append(
        try server(Self.proxyAddress, plan.port, configuration, counter) { request, _ in
          await responder.answer(request, "")
        }
      )
    }
    return servers
  }

  private func server(
    _ address: String, _ port: Int, _ secure: TLSConfiguration?, _ counter: PhoneCounter,
    answer: @escaping @Sendable (WebRequest, _ host: String) async -> WebAnswer
  ) throws -> any Service {
    var quiet = logger
    if quiet.logLevel < .warning { quiet.logLevel = .warning }
    let (exchange, host) = (PhoneExchange(counter: counter, feed: feed), PhonePlace.host(address, port))
    let builder = HTTPServerBuilder { responder in
      guard let secure else { return PhoneChannel(PhoneChannels.plain(responder), counter: counter) }
      return PhoneChannel(try PhoneChannels.secure(secure, responder), counter: counter)
    }
    return try builder.buildServer(
      configuration: ServerConfiguration(address: .hostname(address, port: port), backlog: 64),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet
    ) { request, writer, channel in try await exchange.run(request, writer, channel) { await answer($0, host) } }
  }
}

import LatchkeyProtocol
import LatchkeyTransport
import ServiceLifecycle

/// A service that carries out the links' operations for as long as the node runs.
///
/// It begins before it is run, so that peers are called while the other services start.
struct LinkService: Service {
  private let directory: LinkDirectory
  private let work: Task<Void, Never>

  init(directory: LinkDirectory) {
    self.directory = directory
    directory.operations.start()
    work = Task {
      async let peerWork: Void = Self.carryOut(directory.peerWork)
      await directory.operations.allEnded()
      await peerWork
    }
  }

  /// Runs each operation in a task of its own, until there are no more of them.
  private static func carryOut(_ jobs: AsyncStream<LinkDirectory.Job>) async {
    await withDiscardingTaskGroup { group in
      for await job in jobs { group.addTask { await job() } }
      group.cancelAll()
    }
  }

  func run() async throws {
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        group.addTask {
          // Every peer receives a goodbye before anything is cancelled.
          try? await gracefulShutdown()
          await directory.shutDown()
        }
        await work.value
        group.cancelAll()
      }
    } onCancel: {
      end()
    }
  }

  /// Ends the operations without a word to the peers.
  func end() {
    directory.operations.finish()
    work.cancel()
  }
}

/// A service that accepts connections: sessions of paired devices, and pairings while a code is
/// open.
///
/// Unknown devices get no answer.
struct ListenerService: Service {
  let context: NodeContext
  let listener: Listener
  let directory: LinkDirectory
  let pairing: PairingService

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      await listener.run { connection, preamble, frames, ticket in
        switch preamble {
        case .session: await session(connection, frames, ticket)
        case .pairing(let discriminator):
          await pairing.serve(discriminator, isTyped: false, connection, frames, ticket)
        case .typedPairing(let discriminator):
          await pairing.serve(discriminator, isTyped: true, connection, frames, ticket)
        }
      }
      guard Task.isCancelled else { throw TransportError.cannotListen("the system closed the socket") }
    }
  }

  private func session(_ connection: FrameConnection, _ frames: FrameReader, _ ticket: StrangerTicket) async {
    guard let first = await frames.next() else { return }
    let responder: SessionResponder
    do {
      responder = try SessionResponder(own: context.link, ephemeralKey: LinkKeyPair.generate(), firstFrame: first)
    } catch {
      context.logger.debug(
        "an unknown caller was refused", metadata: ["address": "\(connection.remote)", "reason": "\(error)"])
      return
    }
    guard let link = await directory.link(responder.caller), let bytes = await link.record.sessionKey,
      let key = try? PresharedKey(bytes: bytes)
    else {
      context.logger.info("a device that is not paired was refused", metadata: ["address": "\(connection.remote)"])
      return
    }
    let (answer, transport) = responder.accept(pairwiseKey: key)
    connection.send(answer)
    await link.serve(connection, frames, transport, pairwiseKey: bytes, ticket: ticket)
  }
}

import Glibc
import LatchkeyModel
import LatchkeyStore

/// The parts of a running node that answer requests; it answers programs in its own process as its
/// user.
public struct NodeService: NodeInterface {
  let context: NodeContext
  let directory: LinkDirectory
  let discovery: DiscoveryService
  let pairing: PairingService
  let usage: UsageService
  let listening: [String]

  /// Has the node answer a request as its user.
  public func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    try await call().ask(endpoint, input)
  }

  /// Returns the node by the rights of its user.
  func call() -> Call { Call(self, caller: Caller(principal: .nodeUser, userID: geteuid())) }
}

import Testing

@testable import LatchkeyDiscovery

struct BackendChoiceTests {
  private func choose(
    _ daemon: DaemonView, embedded: Bool = true, allowDaemon: Bool = true, problem: String? = nil
  ) -> BackendChoice {
    BackendChoice.make(
      configuration: DiscoveryConfiguration(allowEmbedded: embedded, allowDaemon: allowDaemon), problem: problem,
      daemon: daemon)
  }

  @Test func theDaemonComesFirstWhereItServes() {
    #expect(choose(.serving) == .use(.avahiDaemon))
    #expect(choose(.unproven) == .wait)
    #expect(choose(.absent) == .use(.embedded))
    #expect(choose(.notServing("why")) == .use(.embedded))
  }

  @Test func whatIsNotAllowedIsNotUsed() {
    #expect(choose(.serving, allowDaemon: false) == .use(.embedded))
    for view in [DaemonView.absent, .notServing("it sulks")] {
      guard case .nothing(let reason) = choose(view, embedded: false) else {
        Issue.record("\(view)")
        continue
      }
      #expect(reason.hasSuffix("."))
      #expect(view == .absent || reason.contains("it sulks"))
    }
    guard case .nothing = choose(.serving, embedded: false, allowDaemon: false) else {
      Issue.record("nothing is allowed")
      return
    }
  }

  @Test func withoutAnInterfaceThereIsNothing() {
    #expect(choose(.serving, problem: "No.") == .nothing("No."))
  }
}

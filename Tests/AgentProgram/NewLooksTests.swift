import LatchkeyModel
import Testing

@testable import LatchkeyAgentProgram

/// Tests of when new processes are looked at: Protocol/13-agent.md §10.
@Suite struct NewLooksTests {
  private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

  @Test(
    "What a program forked before it was closed or frozen is looked for at once, and what a look closes asks for another"
  )
  func closed() {
    var looks = NewLooks(at: at(1_000))
    #expect(looks.due == nil)
    looks.closed()
    #expect(looks.due == at(1_020), "A moment after the last look, however many are closed.")
    looks.begin(at: at(1_500))
    #expect(looks.due == nil)
    looks.closed()
    looks.closed()
    #expect(looks.due == at(1_520))
  }

  @Test("After a kill that no events follow, new processes are looked at for a while")
  func watchful() {
    var looks = NewLooks(at: at(1_000))
    looks.watch(from: at(1_100))
    #expect(looks.due == at(1_200))
    looks.begin(at: at(11_099))
    #expect(looks.due == at(11_299))
    looks.begin(at: at(11_299))
    #expect(looks.due == nil)
  }
}

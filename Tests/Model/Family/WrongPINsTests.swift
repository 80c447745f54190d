import LatchkeyModel
import Testing

/// Tests of the waits after wrong PINs.
@Suite struct WrongPINsTests {
  private static func instant(_ seconds: Int64) -> BootInstant { BootInstant(milliseconds: seconds * 1_000) }

  @Test(
    "The first four are free, and each further one doubles the wait, to 15 minutes",
    arguments: [(1, 0), (4, 0), (5, 60), (6, 120), (7, 240), (8, 480), (9, 900), (10, 900), (64, 900)] as [(Int, Int64)]
  )
  func waits(count: Int, seconds: Int64) {
    let wrong = WrongPINs(count: count, bootID: "a", last: Self.instant(5_000))
    #expect(wrong.wait(in: "a", at: Self.instant(5_000)) == seconds * 1_000)
    #expect(wrong.wait(in: "a", at: Self.instant(5_000 + seconds)) == 0)
    if seconds > 0 { #expect(wrong.wait(in: "a", at: Self.instant(5_001)) == (seconds - 1) * 1_000) }
  }

  @Test("After a restart of the machine the wait begins anew, whatever the clock showed before")
  func boots() {
    let wrong = WrongPINs(count: 5, bootID: "a", last: Self.instant(900_000))
    #expect(wrong.wait(in: "b", at: Self.instant(20)) == 40_000)
    #expect(wrong.wait(in: "b", at: Self.instant(60)) == 0)
    // A reading before the last one, which a changed database would need, makes no longer wait.
    #expect(wrong.wait(in: "a", at: Self.instant(1)) == 60_000)
  }

  @Test("A parent hears of five in a row, in the boot of the last one")
  func many() {
    #expect(!WrongPINs(count: 4, bootID: "a", last: Self.instant(1)).areMany(in: "a"))
    #expect(WrongPINs(count: 5, bootID: "a", last: Self.instant(1)).areMany(in: "a"))
    #expect(!WrongPINs(count: 9, bootID: "a", last: Self.instant(1)).areMany(in: "b"))
  }

  @Test("They are counted one by one, and no further than is kept")
  func counted() {
    var wrong: WrongPINs?
    for count in 1...70 {
      wrong = WrongPINs.after(wrong, in: "a", at: Self.instant(Int64(count)))
      #expect(wrong?.count == min(count, 64) && wrong?.last == Self.instant(Int64(count)))
    }
    #expect(WrongPINs(count: 0, bootID: "", last: Self.instant(0)).count == 1)
  }
}

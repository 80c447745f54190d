import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct CloneWatchTests {
  /// Sends Hellos of these runs, `apart` milliseconds apart, and returns which of them were proof.
  private func proofs(_ runs: [UInt8], apart: Int64 = 1) -> [Bool] {
    var watch = CloneWatch()
    return runs.enumerated().map { place, run in
      watch.received(
        [UInt8](repeating: run, count: 16), now: BootInstant(milliseconds: 1_000 + Int64(place) * apart))
    }
  }

  @Test(
    "Only a run that returns twice proves a clone",
    arguments: [
      ([1, 1, 1, 1], []),
      ([1, 2, 3, 4, 5, 6], []),
      // A late connection of a dying run, and the new one after it.
      ([1, 2, 1, 2, 2], []),
      ([1, 2, 1, 2, 3, 4], []),
      ([1, 2, 1, 2, 1], [4]),
      ([1, 2, 1, 2, 1, 2], [4, 5]),
      ([1, 2, 3, 1, 2, 3, 1], [6]),
      // One of the two restarts repeatedly; the other one reveals them.
      ([1, 2, 1, 3, 1], [4]),
    ] as [([UInt8], [Int])])
  func sequences(runs: [UInt8], proof: [Int]) {
    #expect(proofs(runs) == runs.indices.map { proof.contains($0) })
  }

  @Test func returnsThatLieFarApartAreNoProof() {
    #expect(!proofs([1, 2, 1, 2, 1, 2, 1, 2], apart: Limits.cloneMilliseconds / 2).contains(true))
    #expect(proofs([1, 2, 1, 2, 1], apart: Limits.cloneMilliseconds / 2 - 1).contains(true))
  }

  @Test func manyRunsAreForgottenOldestFirst() {
    // The first run is forgotten after 17 others, so its return is no return.
    let others = [UInt8](2...18)
    #expect(!proofs([1] + others + [1] + others + [1]).contains(true))
  }
}

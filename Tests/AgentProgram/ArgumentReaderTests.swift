import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of the arguments that are looked at: Protocol/13-agent.md §8.
@Suite struct ArgumentReaderTests {
  private let padding = "-Dx=" + String(repeating: "A", count: 100_000)

  /// A program that echoes its input, with more arguments.
  private func program(_ arguments: String...) throws -> RunningCat {
    let script = "import os\nwhile data := os.read(0, 9): os.write(1, data)"
    return try RunningCat(["/usr/bin/python3", "-c", script] + arguments)
  }

  @Test("An argument behind padding is seen, and more than is kept is said to be there")
  func padded() throws {
    let (seen, hidden) = (try program(padding, "craft.jar"), try program(padding, padding, "craft.jar"))
    var looker = ProcessLooker()
    let wanted = ProcessLooker.Wanted(
      accounts: [geteuid()], needs: [geteuid(): .arguments], protected: [], protectedFiles: [])
    for isAgain in [false, true] {
      let (firstLook, secondLook) = (
        looker.look(at: seen.pid, wanted, BootClock.now()), looker.look(at: hidden.pid, wanted, BootClock.now())
      )
      let (first, second) = (try #require(firstLook).facts, try #require(secondLook).facts)
      #expect(first.arguments.contains(" craft.jar ") && !first.hasMoreArguments, "again: \(isAgain)")
      #expect(second.arguments.utf8.count >= ArgumentReader.mostBytes && second.hasMoreArguments, "again: \(isAgain)")
    }
  }

  @Test("Many with long arguments find room until it is used up, and then count as those that hide something")
  func room() throws {
    let (long, short) = (try program(padding, "craft.jar"), try program("craft.jar"))
    var reader = ArgumentReader()
    var kept = 0
    while case let arguments = reader.read("/proc/\(long.pid)"), !arguments.isCut { kept += arguments.text.utf8.count }
    #expect((ArgumentReader.roomBytes..<ArgumentReader.roomBytes + ArgumentReader.mostBytes).contains(kept))
    #expect(reader.read("/proc/\(long.pid)").text.utf8.count == ArgumentReader.usualBytes)
    #expect(!reader.read("/proc/\(short.pid)").isCut)
    reader.begin()
    #expect(!reader.read("/proc/\(long.pid)").isCut)
  }
}

import Glibc
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of the short slices of the processor for which an agent asks: Protocol/13-agent.md §10.
@Suite struct ProcessorSliceTests {
  /// The slice of a process in nanoseconds; `nil` where the kernel does not tell it.
  private func slice(of pid: Int32) -> UInt64? {
    let lines = (ProcFile.read("/proc/\(pid)/sched", most: 1 << 16) ?? []).split(separator: 0x0A)
    let line = lines.first { $0.starts(with: Array("se.slice ".utf8)) }
    return line?.split(separator: 0x20).last.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
  }

  /// A Boolean value that indicates whether this kernel gives slices as they are asked for: Linux
  /// 6.12 and later.
  private var canChoose: Bool {
    var name = utsname()
    uname(&name)
    let release = withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 12)
  }

  @Test("A process gets the shortest slices, and keeps its priority")
  func shortest() throws {
    let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    let program = try RunningCat(["/usr/bin/nice", "-n", "5", "/bin/cat"])
    let before = slice(of: program.pid)
    #expect(AgentProgram.main(arguments: ["schedule", "\(program.pid)"]) == 0)
    if canChoose, before != nil { #expect(slice(of: program.pid) == ProcessorSlice.shortest) }
    #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(program.pid)) == own + 5)
  }

  @Test("What is no process is refused", arguments: [[], ["x"], ["0"], ["-1"], ["1", "2"]])
  func wrong(words: [String]) {
    #expect(AgentProgram.main(arguments: ["schedule"] + words) == 64)
  }

  @Test("A process that is not there gets none")
  func missing() {
    #expect(AgentProgram.main(arguments: ["schedule", "\(Int32.max)"]) == 77)
  }
}

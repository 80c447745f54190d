import Foundation
import Testing

@testable import LatchkeyNode

/// Tests of log lines.
@Suite struct LogLineTests {
  private let handler = StandardErrorLogHandler(format: .text)
  private let date = Date(timeIntervalSince1970: 1_795_266_000)
  private let fault = "The server home.local did not answer within 30 seconds, and is asked again in a minute."

  @Test("A person at a terminal reads lines of 80 columns with the time of the day")
  func terminal() {
    let text = handler.line(
      at: date, level: .warning, message: "the receiver is told nothing", metadata: ["fault": "\(fault)"],
      isTerminal: true)
    let lines = text.split(separator: "\n")
    #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(lines[0].wholeMatch(of: /\d\d:\d\d:\d\d warning: the receiver is told nothing \(fault: The .*/) != nil)
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") } && text.hasSuffix(")\n"), "\(text)")
  }

  @Test("A file gets one line for each event, with the date and the name of each value")
  func file() {
    let text = handler.line(
      at: date, level: .warning, message: "the receiver is told nothing", metadata: ["fault": "\(fault)"])
    #expect(text.hasPrefix("2026-11-21T13:00:00.000Z warning  the receiver is told nothing fault=\""), "\(text)")
    #expect(text.filter { $0 == "\n" }.count == 1)
  }

  @Test(
    "The time has three digits of a second",
    arguments: [
      (1_795_266_000.0625, "2026-11-21T13:00:00.062Z"), (1_795_266_059.9999, "2026-11-21T13:00:59.999Z"),
      (951_782_400.5, "2000-02-29T00:00:00.500Z"), (-0.0005, "1969-12-31T23:59:59.999Z"),
    ])
  func time(seconds: Double, shown: String) {
    let text = handler.line(at: Date(timeIntervalSince1970: seconds), level: .info, message: "running", metadata: [:])
    #expect(text == "\(shown) info     running\n")
  }
}

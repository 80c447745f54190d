import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// The Debian package, on a system of its own.
  @Suite(.enabled(if: geteuid() == 0, "only root can boot a system; run Tools/test by sudo"))
  struct PackageAsRoot {
    /// What a scenario ends with if this machine cannot try it: Tests/Nested/support/debian.
    private static let skipped: Int32 = 75

    /// Scenarios that also need a program built beside the package.
    private static let beside = [
      "bypasses": BuiltProgram.folder, "crowd": BuiltProgram.folder, "launchers": BuiltProgram.folder,
      "clocks": BuiltProgram.path(of: "libLatchkeyClockShift.so"),
    ]

    private func package(_ lab: ProcessLab, _ version: String, in folder: String) async throws -> String {
      let made = try await lab.run(
        BuiltProgram.tools + "/package",
        ["--built", BuiltProgram.folder, "--for-tests", "--version", version, "--output", folder])
      guard made.status == 0 else { throw LabFault("no package: \(made)") }
      return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs a scenario of Tests/Nested on a system of its own, and prints what it did and how long
    /// it took.
    private func runNested(_ lab: ProcessLab, _ scenario: String, _ arguments: [String]) async throws {
      let begin = ContinuousClock.now
      let run = try await lab.run(BuiltProgram.tools + "/nested", ["run", scenario] + arguments)
      report(scenario, run)
      print("Nested: \(scenario) took \((ContinuousClock.now - begin).components.seconds) s.")
    }

    /// Runs a scenario with a package of the built programs.
    private func run(_ scenario: String) async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let package = try await package(lab, "0.0.1", in: lab.newPath())
        try await runNested(lab, scenario, [package] + (Self.beside[scenario].map { [$0] } ?? []))
      }
    }

    /// Prints what a scenario did, and records an issue if it failed.
    private func report(_ scenario: String, _ run: CommandResult) {
      print(run.output, terminator: "")
      guard run.status != 0 else { return }
      print(run.talk)
      if run.status == Self.skipped { return }
      // The reason is short, so that it is still there in a summary.
      let lines = run.talk.split(separator: "\n")
      let told = lines.filter { $0.contains("FAILED") }.suffix(2) + lines.suffix(4)
      Issue.record("\(scenario) ended with \(run.status): \(told.joined(separator: " ↩ ").suffix(1_500))")
    }

    @Test(
      "A paused program stays so, closed sessions do not begin, and learning counts while somebody is there",
      arguments: ["enforce", "sessions"])
    func everyDay(scenario: String) async throws { try await run(scenario) }

    @Test(
      "It is installed, used by each account as it may, upgraded, removed and purged, and is the same bytes each time",
      .enabled(if: Length.isThorough, "it takes a minute; run Tools/test --thorough"))
    func install() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let old = try await package(lab, "0.0.1", in: lab.newPath())
        let again = try await package(lab, "0.0.1", in: lab.newPath())
        let new = try await package(lab, "99.0", in: lab.newPath())
        #expect(FileManager.default.contentsEqual(atPath: old, andPath: again))
        try await runNested(lab, "install", [old, new])
      }
    }

    @Test(
      "It is not got around",
      .enabled(if: Length.isThorough, "it takes minutes; run Tools/test --thorough"),
      arguments: ["accounts", "bypasses", "evening", "launchers", "machines"])
    func bypassed(scenario: String) async throws { try await run(scenario) }

    @Test(
      "A fault leaves the rest of the rules in force",
      .enabled(if: Length.isThorough, "it takes minutes; run Tools/test --thorough"),
      arguments: ["clocks", "crashes", "crowd", "disks", "everything", "faults"])
    func faulty(scenario: String) async throws { try await run(scenario) }

    @Test(
      "It is set up, finds what it needs, and holds at every door and for programs of Debian",
      .enabled(if: Length.isThorough, "it takes minutes; run Tools/test --thorough"),
      arguments: ["doctor", "doors", "setup", "subjects"])
    func debian(scenario: String) async throws { try await run(scenario) }

    @Test(
      "Its services run hardened on Debian's kernel, with process events and input devices, in a virtual machine",
      .enabled(if: Length.isThorough, "it takes minutes; run Tools/test --thorough"))
    func hardened() async throws {
      try await ProcessLab.run(asRoot: true) { lab in
        let package = try await package(lab, "0.0.1", in: lab.newPath())
        let run = try await lab.run(BuiltProgram.tools + "/vm", ["run", "hardened", package])
        report("hardened", run)
      }
    }
  }
}

import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of names and patterns of programs that another program runs, as Wine does:
/// Protocol/13-agent.md §8.
@Suite struct ProgramNameTests {
  private func isMatched(_ matcher: AppMatcher, name: String, arguments: String, path: String = "/usr/bin/wine64")
    throws
    -> Bool
  {
    var faults: [OrderFault] = []
    let app = try #require(AppID("game"))
    let order = ProgramOrder(app: app, category: .reward, terms: ProgramTerms(), matchers: [matcher])
    let table = MatchTable(AccountOrders(account: 1_000, programs: [order]), faults: &faults)
    #expect(faults.isEmpty)
    let facts = ProcessFacts(
      identity: AgentRig.process(5), account: 1_000, startedAt: .init(milliseconds: 1), name: name,
      arguments: arguments,
      images: [.init(path: path)])
    return table.match(facts).map { $0.app == app && $0.isWeak } == true
  }

  @Test(
    "A name is that of the file, of the process, also as the kernel cuts it, or of the first argument",
    arguments: [
      ("VanillaFixes.exe", "VanillaFixes.ex", "Z:\\Games\\VanillaFixes.exe", true),
      ("VanillaFixes.exe", "VanillaFixes.ex", "", true), ("VanillaFixes.exe", "VanillaFixes", "", false),
      ("VanillaFixes.exe", "wine64", "Z:\\Program Files\\WoW\\VANILLAFIXES.EXE -console", true),
      ("VanillaFixes.exe", "wine64", "z:/games/vanillafixes.exe", true),
      ("VanillaFixes.exe", "wine64", "Z:\\Games\\Other.exe VanillaFixes.exe", false),
      ("kart.bin", "sh", "/opt/kart/kart.bin --full", true), ("kart.bin", "sh", "/opt/KART.BIN", false),
      ("kart.bin", "sh", "/opt/other kart.bin", false), ("wine64", "x", "", true),
      ("gnome-session-x", "gnome-session-b", "", false), ("averylongprogramname", "averylongprogra", "", true),
      ("averylongprogramname", "averylongprogr", "", false),
    ] as [(String, String, String, Bool)])
  func names(value: String, name: String, arguments: String, isOne: Bool) throws {
    #expect(try isMatched(AppMatcher(kind: .name, value: value), name: name, arguments: arguments) == isOne)
  }

  @Test(
    "In a pattern of a program of Windows, neither case nor the kind of slash matters",
    arguments: [
      ("*Games/WoW/WoW.exe*", "Z:\\Games\\WoW\\WoW.exe -x", true),
      ("*\\vanillafixes.exe*", "C:\\x\\VANILLAFIXES.EXE", true), ("*\\vanillafixes.exe*", "/x/VanillaFixes.exe", true),
      ("*WoW.exe*", "/games/wow", false), ("*Games/WoW/start*", "/Games/WOW/start", false),
      ("*Games/WoW/start*", "/home/Games/WoW/start.sh", true),
    ] as [(String, String, Bool)])
  func patterns(value: String, arguments: String, isOne: Bool) throws {
    #expect(try isMatched(AppMatcher(kind: .argument, value: value), name: "x", arguments: arguments) == isOne)
  }
}

import LatchkeyModel
import Testing

/// Names on command lines that people copy into a shell.
@Suite struct ShellWordTests {
  @Test(arguments: [
    "Emma's PC", "Émile", "PC 2", "Ben (laptop)", "a.b-c_d", "Emma’s PC", "Ömer & Ayşe", "org.gnome.Chess", "🦊",
  ]) func namesOfPeopleArePlain(text: String) { #expect(ShellWord.isPlain(text)) }

  @Test(arguments: [
    "", "a$(id)", "$HOME", "a`id`", "a\"b", "a\\b", "a!b", "a;b", "a|b", "a>b", "a:b", "~root", "--yes", " a", "a\nb",
    "a*", "{a,b}", "a\u{A0}b", "a\u{202E}b", "#a", "a/b",
  ]) func whatAShellWouldExpandIsNot(text: String) { #expect(!ShellWord.isPlain(text)) }

  @Test func aMachineIsNamedByItsIDUnlessItsNameIsPlain() throws {
    let id = try #require(DeviceID(bytes: [UInt8](repeating: 7, count: DeviceID.size)))
    #expect(ShellWord.machine(try DeviceName("Emma's PC"), id) == "\"Emma's PC\"")
    #expect(ShellWord.machine(try DeviceName("E$(id>/tmp/x)"), id) == id.short)
  }
}

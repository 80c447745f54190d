import LatchkeyModel
import LatchkeySystem

/// The menu entry of an application, which any account may have written.
enum DesktopEntryTarget {
  static func seeds() -> [[UInt8]] {
    let entries = [
      """
      # A game
      [Desktop Entry]
      Type=Application
      Name=SuperTuxKart
      Name[de]=Tux\\sKart
      Exec=env LANG=C "/usr/games/super tux\\\\"kart" %U
      TryExec=supertuxkart
      Categories=Game;ArcadeGame;
      OnlyShowIn=
      [Desktop Action New]
      Name=New
      """, "[Desktop Entry]\nType=Application\nName=A\nNoDisplay=true\nX-Flatpak=org.a.B\n",
      "[Desktop Entry]\r\nType = Application\r\nName = \u{1B}[2J\u{202E}x\r\nHidden=1\r\n",
      "[Desktop Entry]\nType=Link\nName=A\n", "Name=A\n[Desktop Entry\nType=Application\n=x\n[\n",
    ]
    return entries.map { Array($0.utf8) }
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    guard let entry = DesktopEntry(input, languages: EntryLanguages.names(of: "de_DE.UTF-8@euro")) else { return }
    try require(TextRule.displayName.fault(in: entry.name) == nil, "\(entry.name) cannot be shown")
    let app = AppID("a").map { InstalledApp(appID: $0, name: entry.name, suggestion: entry.suggestion) }
    try require(app?.fault == nil, "\(entry) is no application")
    if let line = entry.exec, let program = ExecLine.program(line) {
      try require(!program.isEmpty && program.utf8.count <= line.utf8.count, "\(line) starts \(program)")
    }
    try require(EntryLanguages.names(of: entry.name).count <= 4, "\(entry.name) has many languages")
  }
}

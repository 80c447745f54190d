/// The programs that start whatever a person asks for: terminals, editors, file managers,
/// application menus, browsers and mail programs.
///
/// Being started by one of them says nothing about a program.
///
/// Spec: Protocol/13-agent.md §8.
enum OpeningPrograms {
  static let names: Set<String> = [
    // Terminals, and programs that hold terminal sessions.
    "alacritty", "cool-retro-term", "deepin-terminal", "dvtm", "foot", "footclient", "ghostty", "gnome-terminal",
    "gnome-terminal-server", "gnome-terminal.real", "kgx", "kitty", "konsole", "lxterminal", "mate-terminal",
    "mosh-server", "ptyxis", "ptyxis-agent", "pterm", "qterminal", "roxterm", "rxvt", "rxvt-unicode", "sakura",
    "screen",
    "st", "stterm", "terminology", "termit", "tilda", "tilix", "tmux", "urxvt", "urxvtd", "wezterm", "wezterm-gui",
    "xfce4-terminal", "xterm", "yakuake", "zellij", "zutty",
    // Editors.
    "arduino-ide", "atom", "bluefish", "clion", "code", "code-insiders", "code-oss", "codeblocks", "codium", "emacs",
    "emacs-gtk", "emacs-lucid", "emacs-nox", "emacs-pgtk", "featherpad", "geany", "gedit", "gnome-builder",
    "gnome-text-editor", "helix", "hx", "idea", "jed", "joe", "kate", "kdevelop", "kwrite", "l3afpad", "leafpad", "mg",
    "micro", "mousepad", "nano", "nvim", "pluma", "pycharm", "qtcreator", "studio", "sublime_text", "vim", "vim.basic",
    "vim.gtk3", "vim.nox", "vim.tiny", "webstorm", "xed", "zed", "zed-editor",
    // File managers.
    "Thunar", "caja", "dde-file-manager", "dolphin", "doublecmd", "io.elementary.files", "konqueror", "krusader", "lf",
    "mc", "nautilus", "nemo", "nnn", "pcmanfm", "pcmanfm-qt", "peony", "spacefm", "thunar", "vifm", "worker", "xfe",
    // Application menus, and programs that open a file with the program for it.
    "albert", "bemenu", "cairo-dock", "dmenu", "exo-open", "fuzzel", "gio", "gmrun", "gnome-software", "gtk-launch",
    "jgmenu", "kde-open", "kde-open5", "kioclient", "krunner", "lxqt-runner", "plank", "plasma-discover", "rofi",
    "snap-store", "synapse", "tofi", "wofi", "xfce4-appfinder",
    // Browsers and mail programs, which open downloaded files.
    "brave", "brave-browser", "chrome", "chromium", "chromium-browser", "dillo", "epiphany", "epiphany-browser",
    "evolution", "falkon", "firefox", "firefox-bin", "firefox-esr", "floorp", "geary", "google-chrome", "kmail",
    "librewolf", "microsoft-edge", "midori", "msedge", "opera", "palemoon", "seamonkey", "thorium", "thunderbird",
    "thunderbird-bin", "vivaldi", "vivaldi-bin", "waterfox", "zen", "zen-bin",
  ]

  static func contains(_ name: some StringProtocol) -> Bool { names.contains(String(name)) }
}

extension NeededPrograms {
  private static let allShells = shells.union(otherShells)

  public static func isShell(_ name: some StringProtocol) -> Bool {
    allShells.contains(String(name))
  }
}

extension ProcessFacts {
  /// The name of the executable if only root can change the file at its path, since a child can
  /// give its own files any name.
  var settledName: Substring? {
    guard let image = images.first, !image.isHidden, !image.isForeign, !hasWritableExecutable else { return nil }
    return image.name
  }

  /// A Boolean value that indicates whether it may inherit an application: it is no shell, desktop
  /// program or program that opens others.
  var mayInherit: Bool {
    !isProtected && settledName.map { NeededPrograms.isOfDesktop($0) || OpeningPrograms.contains($0) } != true
  }

  /// A Boolean value that indicates whether it passes on its application.
  ///
  /// A shell passes on an inherited application, since scripts start games.
  var passesOn: Bool {
    guard let name = settledName else { return !isProtected }
    if NeededPrograms.isShell(name) { return true }
    return mayInherit
  }
}

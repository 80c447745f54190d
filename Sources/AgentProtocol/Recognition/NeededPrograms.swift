/// The programs that a system needs, which no order may close (Protocol/13-agent.md §6).
public enum NeededPrograms {
  static let names: Set<String> = [
    // Starting the machine, accounts, sessions and messages between programs.
    "init", "systemd", "systemd-logind", "systemd-journald", "systemd-udevd", "systemd-networkd", "systemd-resolved",
    "systemd-timesyncd", "dbus-daemon", "dbus-broker", "dbus-broker-launch", "elogind", "polkitd", "login", "agetty",
    "su", "sudo", "sshd", "sshd-session", "cron", "systemd-executor", "ssh-agent", "gpg-agent", "gnome-keyring-daemon",
    "polkit-gnome-authentication-agent-1", "polkit-kde-authentication-agent-1", "lxpolkit",
    // Display managers and servers.
    "gdm3", "gdm-session-worker", "gdm-x-session", "gdm-wayland-session", "sddm", "sddm-helper", "lightdm", "lxdm",
    "xdm", "slim", "greetd", "Xorg", "Xwayland", "X", "xinit", "startx",
    // Desktop shells and compositors.
    "gnome-session-binary", "gnome-session", "gnome-shell", "gnome-panel", "gnome-flashback", "mutter", "metacity",
    "plasmashell", "plasma_session", "kwin_x11", "kwin_wayland", "kwin_wayland_wrapper", "ksmserver", "startplasma-x11",
    "startplasma-wayland", "xfce4-session", "xfwm4", "xfdesktop", "xfce4-panel", "cinnamon", "cinnamon-session",
    "mate-session", "mate-panel", "marco", "lxsession", "lxpanel", "lxqt-session", "lxqt-panel", "openbox", "budgie-wm",
    "budgie-panel", "budgie-desktop", "i3", "labwc", "sway", "weston", "wayfire", "phosh", "phoc", "Hyprland", "river",
    "niri", "cosmic-session", "cosmic-comp", "muffin", "enlightenment", "fluxbox", "icewm", "icewm-session", "awesome",
    "bspwm", "startxfce4", "startlxde", "startlxqt",
    // Services that desktops need: settings, sound, portals, other ways to type and to read.
    "gnome-settings-daemon", "xfsettingsd", "xfconfd", "dconf-service", "kded5", "kded6", "kglobalaccel5", "pipewire",
    "pipewire-pulse", "wireplumber", "pulseaudio", "gvfsd", "xdg-desktop-portal", "xdg-desktop-portal-gnome",
    "xdg-desktop-portal-gtk", "xdg-desktop-portal-kde", "xdg-document-portal", "xdg-permission-store", "ibus-daemon",
    "fcitx5", "at-spi-bus-launcher", "at-spi2-registryd", "orca", "kaccess",
    // Latchkey's own programs.
    "latchkey", "latchkey-agent",
  ]

  /// The names of desktop programs: parts of a desktop, its screen lock, networks and accessibility
  /// that come with menu entries.
  ///
  /// A rule may name them, but they are never one of the other programs.
  static let ofDesktops: Set<String> = [
    // Icons on the desktop, and lock screens.
    "pcmanfm", "pcmanfm-qt", "nemo-desktop", "caja", "xscreensaver", "xscreensaver-gfx", "light-locker",
    "gnome-screensaver", "xfce4-screensaver", "mate-screensaver", "cinnamon-screensaver", "kscreenlocker_greet",
    "xscreensaver-auth", "xscreensaver-systemd", "mate-screensaver-dialog", "xfce4-screensaver-dialog",
    "swaylock", "i3lock", "xss-lock", "swayidle",
    // Small parts of panels: networks, power, sound, updates.
    "nm-applet", "blueman-applet", "blueman-tray", "xfce4-power-manager", "mate-power-manager", "volumeicon",
    "update-notifier", "xfce4-notifyd", "mate-notification-daemon", "dunst", "mako", "waybar", "polybar",
    "lxqt-notificationd", "lxqt-powermanagement", "lxqt-globalkeysd", "lxqt-policykit-agent",
    "mate-volume-control-status-icon", "mate-volume-control-applet", "xfce4-clipman", "pasystray", "cbatticon",
    "redshift-gtk", "redshift", "gammastep", "gammastep-indicator", "picom", "compton", "tint2", "plank", "cairo-dock",
    "DiscoverNotifier", "kdeconnectd", "goa-daemon", "gcr-prompter", "system-config-printer-applet",
    "print-applet", "package-update-indicator", "gpk-update-icon", "nm-tray", "cmst", "indicator-cpufreq", "parcellite",
    "diodon", "copyq", "klipper", "caffeine", "xsettingsd", "unclutter", "sxhkd",
    // Other ways to see, read and type.
    "onboard", "florence", "kmag", "magnus", "brltty", "brltty-x11", "xbrlapi", "maliit-keyboard", "squeekboard",
    "kmousetool", "mousetweaks", "speech-dispatcher", "espeakup", "xvkbd", "eviacam", "matchbox-keyboard", "dasher",
    "fcitx", "fcitx-dbus-watcher", "gok", "caribou", "kimpanel-ibus-panel", "kimpanel-ibus-panel-launcher",
    "kimpanel-scim-panel", "ibus-ui-gtk3", "ibus-extension-gtk3", "ibus-x11", "ibus-engine-simple", "ibus-portal",
    "ibus-dconf",
  ]

  private static let allOfDesktops = names.union(ofDesktops).union(shells).union(otherShells)

  /// Returns whether an executable with this name is a desktop program or a shell.
  public static func isOfDesktop(_ name: some StringProtocol) -> Bool { allOfDesktops.contains(String(name)) }

  /// The names of the shells through which desktops start.
  ///
  /// The shells are needed programs, but what they run is not.
  static let shells: Set<String> = ["sh", "bash", "dash"]

  /// The names of further shells, which are needed programs on a machine that has them.
  static let otherShells: Set<String> = ["rbash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"]

  static let folders = ["/usr/bin/", "/usr/sbin/", "/usr/libexec/", "/usr/lib/systemd/", "/usr/lib/xorg/"]

  public static let paths: [String] = names.union(shells).union(otherShells).sorted().flatMap { name in
    folders.map { $0 + name }
  }

  static let packages: Set<String> = [
    "systemd", "systemd-sysv", "init", "libpam-systemd", "dbus", "dbus-daemon", "dbus-broker", "dbus-user-session",
    "elogind", "polkitd", "login", "util-linux", "sudo", "openssh-server", "cron", "gdm3", "sddm", "lightdm", "lxdm",
    "xdm", "slim", "greetd", "xinit", "gnome-panel", "gnome-flashback", "metacity", "lxpanel", "budgie-core", "i3-wm",
    "xserver-xorg-core", "xwayland", "gnome-session-bin", "gnome-shell", "mutter", "plasma-workspace", "plasma-desktop",
    "kwin-x11", "kwin-wayland", "xfce4-session", "xfwm4", "xfdesktop4", "xfce4-panel", "cinnamon", "cinnamon-session",
    "mate-session-manager", "mate-panel", "marco", "lxsession", "lxqt-session", "lxqt-panel", "openbox", "labwc",
    "sway", "weston", "wayfire", "phosh", "phoc", "libc6", "bash", "dash", "coreutils", "gnome-settings-daemon",
    "gnome-keyring", "xfce4-settings", "xfconf", "dconf-service", "pipewire-bin", "wireplumber", "pulseaudio",
    "gvfs-daemons", "xdg-desktop-portal", "ibus", "fcitx5", "at-spi2-core", "openssh-client", "gpg-agent", "latchkey",
  ]

  /// Returns whether an executable with this name is a needed program, if it is the system's own.
  public static func contains(_ name: some StringProtocol) -> Bool { names.contains(String(name)) }

  /// Returns whether a name as a matcher would close a needed program, or every shell.
  public static func isNamed(by name: some StringProtocol) -> Bool { contains(name) || shells.contains(String(name)) }

  public static func isFitted(_ pattern: String, to paths: [String]) -> Bool {
    ArgumentPattern(pattern).map { pattern in paths.contains { pattern.matches($0) } } ?? false
  }

  static func contains(package: String) -> Bool { packages.contains(package) }

  /// Returns whether a snap contains a needed program, or the base of all snaps.
  static func contains(snap: String) -> Bool { snap.wholeMatch(of: /snapd|bare|core[0-9]*/) != nil }
}

/// The programs that start whatever a person asks for: terminals, editors, file managers,
/// application menus, browsers and mail programs.
///
/// Being started by one of them says nothing about a program. Spec: Protocol/13-agent.md §8.
enum OpeningPrograms {
  static let names: Set<String> = [
    // Terminals, and programs that hold terminal sessions.
    "alacritty", "cool-retro-term", "deepin-terminal", "dvtm", "foot", "footclient", "ghostty", "gnome-terminal",
    "gnome-terminal-server", "gnome-terminal.real", "kgx", "kitty", "konsole", "lxterminal", "mate-terminal",
    "mosh-server", "ptyxis", "ptyxis-agent", "pterm", "qterminal", "roxterm", "rxvt", "rxvt-unicode", "sakura",
    "screen", "st", "stterm", "terminology", "termit", "tilda", "tilix", "tmux", "urxvt", "urxvtd", "wezterm",
    "wezterm-gui", "xfce4-terminal", "xterm", "yakuake", "zellij", "zutty",
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

  public static func isShell(_ name: some StringProtocol) -> Bool { allShells.contains(String(name)) }
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

/// The programs that a system needs, which no order may close.
///
/// Spec: Protocol/13-agent.md §6.
public enum NeededPrograms {
  /// The names of their executables.
  static let names: Set<String> = [
    // Starting the machine, accounts, sessions and messages between programs.
    "init", "systemd", "systemd-logind", "systemd-journald", "systemd-udevd", "systemd-networkd", "systemd-resolved",
    "systemd-timesyncd", "dbus-daemon", "dbus-broker", "dbus-broker-launch", "elogind", "polkitd", "login", "agetty",
    "su", "sudo", "sshd", "sshd-session", "cron",
    // Display managers and servers.
    "gdm3", "gdm-session-worker", "gdm-x-session", "gdm-wayland-session", "sddm", "sddm-helper", "lightdm", "lxdm",
    "xdm", "slim", "greetd", "Xorg", "Xwayland", "X", "xinit",
    // Desktop shells and compositors.
    "gnome-session-binary", "gnome-session", "gnome-shell", "gnome-panel", "gnome-flashback", "mutter", "metacity",
    "plasmashell", "plasma_session", "kwin_x11", "kwin_wayland", "kwin_wayland_wrapper", "ksmserver", "startplasma-x11",
    "startplasma-wayland", "xfce4-session", "xfwm4", "xfdesktop", "xfce4-panel", "cinnamon", "cinnamon-session",
    "mate-session", "mate-panel", "marco", "lxsession", "lxpanel", "lxqt-session", "lxqt-panel", "openbox", "budgie-wm",
    "budgie-panel", "i3", "labwc", "sway", "weston", "wayfire", "phosh", "phoc",
    // Ours.
    "latchkey", "latchkey-agent",
  ]

  /// The names of the shells, by which desktops start and which are needed as programs, although what they run is not.
  static let shells: Set<String> = ["sh", "bash", "dash"]

  /// The packages that hold them.
  static let packages: Set<String> = [
    "systemd", "systemd-sysv", "init", "libpam-systemd", "dbus", "dbus-daemon", "dbus-broker", "dbus-user-session",
    "elogind", "polkitd", "login", "util-linux", "sudo", "openssh-server", "cron", "gdm3", "sddm", "lightdm", "lxdm",
    "xdm", "slim", "greetd", "xinit", "gnome-panel", "gnome-flashback", "metacity", "lxpanel", "budgie-core", "i3-wm",
    "xserver-xorg-core", "xwayland", "gnome-session-bin", "gnome-shell", "mutter", "plasma-workspace", "kwin-x11",
    "kwin-wayland", "xfce4-session", "xfwm4", "xfdesktop4", "xfce4-panel", "cinnamon", "cinnamon-session",
    "mate-session-manager", "mate-panel", "marco", "lxsession", "lxqt-session", "lxqt-panel", "openbox", "labwc",
    "sway",
    "weston", "wayfire", "phosh", "phoc", "libc6", "bash", "dash", "coreutils", "latchkey",
  ]

  /// Returns whether an executable with a name is one of them, if it is the system's own.
  public static func contains(_ name: some StringProtocol) -> Bool { names.contains(String(name)) }

  /// Returns whether a matcher that names an executable would close one of them, or every shell.
  static func isNamed(by name: some StringProtocol) -> Bool { contains(name) || shells.contains(String(name)) }

  /// Returns whether a package holds one of them.
  static func contains(package: String) -> Bool { packages.contains(package) }
}

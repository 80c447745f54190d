"""The lists of programs of Protocol/13-agent.md section 8, and what the arguments of interpreters and shells name.

The lists change with each desktop. What is added to one is added here and in Sources/AgentProtocol/Recognition.
"""

FILE = "programs.json"

NEEDED = """
Hyprland X Xorg Xwayland agetty at-spi-bus-launcher at-spi2-registryd awesome bspwm budgie-desktop budgie-panel
budgie-wm cinnamon cinnamon-session cosmic-comp cosmic-session cron dbus-broker dbus-broker-launch dbus-daemon
dconf-service elogind enlightenment fcitx5 fluxbox gdm-session-worker gdm-wayland-session gdm-x-session gdm3
gnome-flashback gnome-keyring-daemon gnome-panel gnome-session gnome-session-binary gnome-settings-daemon gnome-shell
gpg-agent greetd gvfsd i3 ibus-daemon icewm icewm-session init kaccess kded5 kded6 kglobalaccel5 ksmserver
kwin_wayland kwin_wayland_wrapper kwin_x11 labwc latchkey latchkey-agent lightdm login lxdm lxpanel lxpolkit
lxqt-panel lxqt-session lxsession marco mate-panel mate-session metacity muffin mutter niri openbox orca phoc phosh
pipewire pipewire-pulse plasma_session plasmashell polkit-gnome-authentication-agent-1
polkit-kde-authentication-agent-1 polkitd pulseaudio river sddm sddm-helper slim ssh-agent sshd sshd-session startlxde
startlxqt startplasma-wayland startplasma-x11 startx startxfce4 su sudo sway systemd systemd-executor systemd-journald
systemd-logind systemd-networkd systemd-resolved systemd-timesyncd systemd-udevd wayfire weston wireplumber
xdg-desktop-portal xdg-desktop-portal-gnome xdg-desktop-portal-gtk xdg-desktop-portal-kde xdg-document-portal
xdg-permission-store xdm xfce4-panel xfce4-session xfconfd xfdesktop xfsettingsd xfwm4 xinit
""".split()

SHELLS = """
bash dash sh
""".split()

OTHER_SHELLS = """
csh fish ksh mksh rbash tcsh zsh
""".split()

DESKTOPS = """
DiscoverNotifier blueman-applet blueman-tray brltty brltty-x11 caffeine cairo-dock caja caribou cbatticon
cinnamon-screensaver cmst compton copyq dasher diodon dunst espeakup eviacam fcitx fcitx-dbus-watcher florence
gammastep gammastep-indicator gcr-prompter gnome-screensaver goa-daemon gok gpk-update-icon i3lock ibus-dconf
ibus-engine-simple ibus-extension-gtk3 ibus-portal ibus-ui-gtk3 ibus-x11 indicator-cpufreq kdeconnectd
kimpanel-ibus-panel kimpanel-ibus-panel-launcher kimpanel-scim-panel klipper kmag kmousetool kscreenlocker_greet
light-locker lxqt-globalkeysd lxqt-notificationd lxqt-policykit-agent lxqt-powermanagement magnus mako maliit-keyboard
matchbox-keyboard mate-notification-daemon mate-power-manager mate-screensaver mate-screensaver-dialog
mate-volume-control-applet mate-volume-control-status-icon mousetweaks nemo-desktop nm-applet nm-tray onboard
package-update-indicator parcellite pasystray pcmanfm pcmanfm-qt picom plank polybar print-applet redshift
redshift-gtk speech-dispatcher squeekboard swayidle swaylock sxhkd system-config-printer-applet tint2 unclutter
update-notifier volumeicon waybar xbrlapi xfce4-clipman xfce4-notifyd xfce4-power-manager xfce4-screensaver
xfce4-screensaver-dialog xscreensaver xscreensaver-auth xscreensaver-gfx xscreensaver-systemd xsettingsd xss-lock
xvkbd
""".split()

PACKAGES = """
at-spi2-core bash budgie-core cinnamon cinnamon-session coreutils cron dash dbus dbus-broker dbus-daemon
dbus-user-session dconf-service elogind fcitx5 gdm3 gnome-flashback gnome-keyring gnome-panel gnome-session-bin
gnome-settings-daemon gnome-shell gpg-agent greetd gvfs-daemons i3-wm ibus init kwin-wayland kwin-x11 labwc latchkey
libc6 libpam-systemd lightdm login lxdm lxpanel lxqt-panel lxqt-session lxsession marco mate-panel
mate-session-manager metacity mutter openbox openssh-client openssh-server phoc phosh pipewire-bin plasma-desktop
plasma-workspace polkitd pulseaudio sddm slim sudo sway systemd systemd-sysv util-linux wayfire weston wireplumber
xdg-desktop-portal xdm xfce4-panel xfce4-session xfce4-settings xfconf xfdesktop4 xfwm4 xinit xserver-xorg-core
xwayland
""".split()

OPENING = """
Thunar alacritty albert arduino-ide atom bemenu bluefish brave brave-browser cairo-dock caja chrome chromium
chromium-browser clion code code-insiders code-oss codeblocks codium cool-retro-term dde-file-manager deepin-terminal
dillo dmenu dolphin doublecmd dvtm emacs emacs-gtk emacs-lucid emacs-nox emacs-pgtk epiphany epiphany-browser
evolution exo-open falkon featherpad firefox firefox-bin firefox-esr floorp foot footclient fuzzel geany geary gedit
ghostty gio gmrun gnome-builder gnome-software gnome-terminal gnome-terminal-server gnome-terminal.real
gnome-text-editor google-chrome gtk-launch helix hx idea io.elementary.files jed jgmenu joe kate kde-open kde-open5
kdevelop kgx kioclient kitty kmail konqueror konsole krunner krusader kwrite l3afpad leafpad lf librewolf lxqt-runner
lxterminal mate-terminal mc mg micro microsoft-edge midori mosh-server mousepad msedge nano nautilus nemo nnn nvim
opera palemoon pcmanfm pcmanfm-qt peony plank plasma-discover pluma pterm ptyxis ptyxis-agent pycharm qtcreator
qterminal rofi roxterm rxvt rxvt-unicode sakura screen seamonkey snap-store spacefm st stterm studio sublime_text
synapse terminology termit thorium thunar thunderbird thunderbird-bin tilda tilix tmux tofi urxvt urxvtd vifm vim
vim.basic vim.gtk3 vim.nox vim.tiny vivaldi vivaldi-bin waterfox webstorm wezterm wezterm-gui wofi worker xed
xfce4-appfinder xfce4-terminal xfe xterm yakuake zed zed-editor zellij zen zen-bin zutty
""".split()

INTERPRETERS = """
R Rscript beam.smp bun busybox clisp deno dosbox dotnet ecl electron elixir erl escript expect ffplay gdb gforth gjs
groovy gst guile iex ipython irb java javaw jrunscript jshell julia love lua luajit mame mono node nodejs ocaml
ocamlrun octave perl php pwsh pypy python qemu qjs qml qmlscene racket raku retroarch ruby runghc sbcl scala scummvm
swipl tclsh wine winedevice.exe wineserver wish
""".split()

FOLDERS = """
/ /bin /home /lib /opt /opt/bin /sbin /srv /usr /usr/bin /usr/games /usr/lib /usr/libexec /usr/local /usr/local/bin
/usr/local/games /usr/local/lib /usr/local/sbin /usr/local/share /usr/sbin /usr/share /var /var/lib
""".split()

# The letters of options that take no value, by the beginning of an interpreter's name.
LETTERS = {"python": "bBdEIOPqsSuvx", "perl": "Ww", "ruby": "Ww"}

ARGUMENTS = [
    ("python3.11", ["/usr/bin/tool", "home"]), ("python3", ["-sP", "/usr/bin/tool"]), ("python3", ["-X", "/usr/bin/tool", "game.py"]),
    ("python3", ["-W", "ignore", "/usr/bin/tool"]), ("python3", ["-c", "print()"]), ("python3", ["-m", "pygame"]),
    ("python3", ["game.py"]), ("python3", ["-u", "./games/../game.py", "level"]), ("python3", []), ("python3", ["-", "/usr/bin/tool"]),
    ("python3", ["", "/usr/bin/tool"]), ("perl", ["-I", "/usr/bin/x", "game.pl"]), ("perl5.36.0", ["-w", "/usr/bin/tool"]),
    ("java", ["-Xmx1G", "-jar", "/usr/share/x.jar"]), ("java", ["-cp", "/usr/share/x.jar", "Main"]),
    ("gjs-console", ["-m", "/usr/share/gnome-shell/x"]), ("tclsh", ["-w", "/usr/bin/tool"]), ("lua5.4", ["../../../../game.lua"]),
]

NAMES = ["python3.11", "perl5.36-x86_64-linux-gnu", "luajit-2.1.0-beta3", "wine64-preloader", "pythonic", "luanti", "winery", "bash", "Python"]


def is_interpreter(name):
    """Return whether an executable with this name is an interpreter: up to the first digit or dash."""
    end = next((place for place, letter in enumerate(name) if letter in "0123456789-"), len(name))
    return name[:end] in INTERPRETERS


def is_plain(option, name):
    """Return whether an argument is an option that takes no value."""
    if name.startswith("java"):
        return option == "-jar" or option[:2] in ("-X", "-D")
    if name.startswith("gjs"):
        return option in ("-m", "--module")
    letters = next((some for stem, some in LETTERS.items() if name.startswith(stem)), "")
    return len(option) > 1 and option[0] == "-" and set(option[1:]) <= set(letters)


def script(name, arguments):
    """Return the absolute path that an interpreter runs, or None."""
    for one in arguments:
        if one.startswith("/"):
            return one
        if not is_plain(one, name):
            return None
    return None


def places(arguments, folder):
    """Return the absolute paths of relative arguments, each once."""
    found = []
    for one in arguments:
        if not one or one[0] in "-/":
            continue
        parts = []
        for part in (folder + "/" + one).split("/"):
            if part == "..":
                del parts[-1:]
            elif part not in ("", "."):
                parts.append(part)
        place = "/" + "/".join(parts)
        if place not in found:
            found.append(place)
    return found


def build():
    folder = "/home/emma/games"
    return {
        "about": "the lists of programs of Protocol/13-agent.md section 8, which names are interpreters, and the script and the "
        "absolute paths that arguments after the first name from a folder",
        "needed": NEEDED,
        "shells": SHELLS,
        "otherShells": OTHER_SHELLS,
        "desktops": DESKTOPS,
        "packages": PACKAGES,
        "opening": OPENING,
        "interpreters": INTERPRETERS,
        "folders": FOLDERS,
        "names": [{"name": name, "isInterpreter": is_interpreter(name)} for name in NAMES],
        "arguments": [{"name": name, "arguments": line, "script": script(name, line), "folder": folder, "places": places(line, folder)}
                      for name, line in ARGUMENTS],
    }

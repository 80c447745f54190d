"""The lists of programs of Protocol/13-agent.md section 8, and what the arguments of interpreters and shells name.

The lists change with each desktop. What is added to one is added here and in Sources/AgentProtocol/Recognition.
"""

import re

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

# Those that run the file that their first argument names, and leave the other arguments to it.
RUNNING = """
dotnet gjs guile java javaw love lua luajit mono node nodejs ocaml ocamlrun perl php pypy python qjs racket raku ruby
tclsh wine wish
""".split()

# Further programs that run whatever they are given.
FURTHER = """
awk gawk make mawk original-awk toybox
""".split()

# The options of the loader that take a value, and those that take none.
LOADER_OPTIONS = """
--argv0 --audit --glibc-hwcaps-mask --glibc-hwcaps-prepend --inhibit-rpath --library-path --preload
""".split()
LOADER_SWITCHES = """
--inhibit-cache --list --verify
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
    ("pypy3", ["-u", "game.py"]), ("python3", ["-uc", "/usr/bin/tool"]), ("node", ["-r", "x.js", "/usr/bin/tool"]), ("node", ["/usr/bin/tool", "-e"]),
    ("java", ["@more", "/usr/share/x.jar"]), ("java", ["-Xbootclasspath/p:x.jar", "-jar", "/usr/share/x.jar"]),
    ("gdb", ["/usr/bin/tool", "-ex", "run"]), ("dosbox", ["/usr/share/games/x"]), ("bash", ["-eu", "./game.sh"]), ("bash", ["-s", "/usr/bin/tool"]),
    ("bash", ["-c", "/usr/bin/tool"]), ("dash", ["-o", "/usr/bin/tool"]), ("csh", ["-f", "game.csh"]), ("fish", ["-f", "/usr/bin/tool"]),
    ("sh", ["+x", "/usr/bin/tool"]), ("env", ["python3", "game.py"]), ("env", ["-S python3 -u", "game.py"]), ("env", ["A=b", "python3", "game.py"]),
    ("env", ["-u", "A", "python3", "game.py"]), ("env", ["python3", "-m", "game"]), ("timeout", ["9", "/usr/bin/tool"]),
    ("wine64-preloader", ["/usr/lib/wine/wine64", "kart.exe"]), ("python3", ["levels/../game.py"]), ("python3", ["/usr/../tool"]),
    ("python3", ["/proc/self/cwd/game.py"]), ("python3", ["/usr//bin/./tool"]), ("python3", ["/dev/./fd/7", "8"]),
    ("python3", ["/dev/fd/9/arcade.py"]), ("python3", ["/proc/self/fd/9/../racer.py"]), ("python3", ["../../../dev/fd/7"]),
    ("bash", ["/proc/12/task/13/fd/7"]), ("python3", ["/dev/fd/8", "/dev/null", "/proc/thread-self/../12/fd/7"]),
]

# The targets of the links of processes that paths may lead through, besides the folder and the root.
LINKS = {"self/fd/7": "/home/emma/arcade.py", "12/fd/7": "/home/emma/racer.py", "self/fd/8": "pipe:[8]", "self/fd/9": "/home/emma/more"}
OTHER_NAMES = {
    "dev/fd": "proc/self/fd", "dev/stdin": "proc/self/fd/0", "dev/stdout": "proc/self/fd/1", "dev/stderr": "proc/self/fd/2",
    "proc/thread-self": "proc/self/task/self", "proc/net": "proc/self/net", "proc/mounts": "proc/self/mounts",
}

NAMES = ["python3.11", "perl5.36-x86_64-linux-gnu", "luajit-2.1.0-beta3", "wine64-preloader", "pythonic", "luanti", "winery", "bash", "Python",
         "env", "mawk", "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld-musl-x86_64.so.1", "ld64.so.2", "ld.so.1", "ld-2.31.so", "libc.so",
         "libc.so.6", "ldd", "ld.gold", "kart"]

# Arguments of the loader after the first.
LOADED = [
    ["/usr/bin/python3", "game.py"], ["--argv0", "x", "--library-path", "P", "--preload", "L", "/usr/bin/python3", "-u", "game.py"],
    ["--inhibit-cache", "--audit", "A", "./game", "--argv0"], ["--library-path=P", "--", "./game", "x"], ["--list", "./game"], ["-x", "./game"],
    ["--argv0", "x"], ["--help"], ["--new", "./game"], [],
]

# Names of executables, and arguments that name files inside of themselves.
INSIDE = [
    ("python3.11", ["-m", "game"]), ("python3", ["-uX", "dev", "-Bm", "levels.game", "-m", "x"]), ("pypy3", ["-Wd", "-mgame"]),
    ("python3", ["-mcProfile", "-s", "time", "-m", "arcade", "./x"]), ("python3", ["-c", "x", "-m", "game"]), ("python3", ["game.py", "-m", "x"]), ("perl", ["-m", "game"]),
    ("java", ["-cp", "a.jar:game.jar", "Main"]), ("java", ["--class-path=game.jar", "Main"]), ("node", ["--import=./game.mjs"]),
    ("ruby", ["-r./game.rb", "-rset"]), ("bash", ["-e", "--", "game.sh"]),
]


def kind(name):
    """Return the name of an executable up to the first digit or dash."""
    return name[:next((place for place, letter in enumerate(name) if letter in "0123456789-"), len(name))]


def is_interpreter(name):
    """Return whether an executable with this name is an interpreter."""
    return kind(name) in INTERPRETERS


def is_loader(name):
    """Return whether an executable with this name is a dynamic loader."""
    return name in ("ld.so", "libc.so") or name.startswith(("ld.so.", "ld64.so", "ld-linux")) or name.startswith("ld-") and ".so" in name


def runs_anything(name):
    """Return whether an executable with this name runs whatever it is given."""
    return is_interpreter(name) or name in SHELLS + OTHER_SHELLS + FURTHER + ["env"] or is_loader(name)


def place_of_loaded(arguments):
    """Return how many arguments of the loader stand before the program that it runs, or None."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("--"):
        option, has_value = arguments[place].split("=", 1)[0], "=" in arguments[place]
        place += 1
        if arguments[place - 1] == "--":
            break
        if option in LOADER_OPTIONS:
            place += not has_value
        elif option not in LOADER_SWITCHES or has_value:
            return None
    return place if place < len(arguments) else None


def inside(name, arguments):
    """Return the files that arguments name inside of themselves, as they name them."""
    files, rest = [], list(arguments)
    while kind(name) in ("python", "pypy") and rest and rest[0].startswith("-") and not rest[0].startswith("--"):
        letters = rest.pop(0)[1:].lstrip("bBdEhiIOPqRsStuvVx")
        if letters[:1] == "m":
            further = [one[2:] if one[:2] == "-m" else one for one in rest]
            for module in [letters[1:]] + [one for one in further if one[:1] != "-" and "/" not in one]:
                path = "/".join(part for part in module.split(".") if part)
                files += [path + ".py", path + "/__main__.py"] if path else []
        if letters[:1] in ("W", "X"):
            del rest[:0 if letters[1:] else 1]
        elif letters:
            break
    for one in arguments:
        value = one
        if one.startswith("-"):
            value = one.split("=", 1)[1] if "=" in one else one[2:] if one[1:2] != "-" and set(one[2:]) & set("./") else ""
        files += [part for part in value.split(":") if part and part != one]
    return files[:64]


def becomes(name, arguments):
    """Return the interpreter or shell, and its arguments, that env becomes or Wine's loader runs; otherwise what is given."""
    first = arguments[0] if arguments else ""
    if name == "env":
        words = first[2:].split() if first.startswith("-S") else [first]
        program = words[0].split("/")[-1] if words else ""
        if is_interpreter(program) or program in SHELLS + OTHER_SHELLS:
            return program, words[1:] + arguments[1:]
    elif kind(name) == "wine" and kind(first.split("/")[-1]) == "wine":
        return name, arguments[1:]
    return name, arguments


def is_valueless(option, name):
    """Return whether an argument is an option that takes no value and names nothing to run."""
    if kind(name) in ("java", "javaw"):
        return option == "-jar" or option.startswith(("-Xm", "-Xs", "-D"))
    if kind(name) == "gjs":
        return option in ("-m", "--module")
    if name in SHELLS + OTHER_SHELLS:
        letters = "" if name == "fish" else "efnuvx"
    else:
        letters = LETTERS.get("python" if kind(name) == "pypy" else kind(name), "")
    return len(option) > 1 and option[0] == "-" and set(option[1:]) <= set(letters)


def certain(name, arguments, folder):
    """Return the absolute path of the script that is run for certain, or None."""
    name, arguments = becomes(name, arguments)
    if kind(name) not in RUNNING and name not in SHELLS + OTHER_SHELLS:
        return None
    file = next((one for one in arguments if not is_valueless(one, name)), "")
    if not file or file[0] in "-+@":
        return None
    parts = [part for part in file.split("/") if part]
    if file[0] == "/":
        folder = ""
        if ".." in parts or not parts or parts[0] in ("proc", "dev"):
            return None
    else:
        while parts and parts[0] in (".", ".."):
            folder = folder.rsplit("/", 1)[0] if parts.pop(0) == ".." else folder
        if ".." in parts:
            return None
    place = folder + "/" + "/".join(part for part in parts if part != ".")
    return None if place.startswith(("/proc/", "/dev/")) else place


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


def follow(path, links):
    """Return the absolute path to which a path leads, through links of processes as well, or None."""
    parts = [] if path[0] == "/" else links["self/cwd"].split("/")[1:]
    for step in path.split("/"):
        if step == "..":
            del parts[-1:]
        if step in ("", ".", ".."):
            continue
        parts = OTHER_NAMES.get("/".join(parts + [step]), "/".join(parts + [step])).split("/")
        link = re.fullmatch(r"proc/(self|\d+)(?:/task/[^/]+)?/(cwd|root|fd/\d+)", "/".join(parts))
        if link:
            target = links.get("/".join(link.groups()), "")
            if target[:1] != "/":
                return None
            parts = [part for part in target.split("/") if part]
    return "/" + "/".join(parts)


def places(arguments, folder):
    """Return the other absolute paths of arguments, each once."""
    found = []
    for one in arguments:
        if not one or one[0] == "-" or one == "/":
            continue
        place = follow(one, {**LINKS, "self/cwd": folder, "self/root": "/"})
        if place in (None, one):
            continue
        if place not in found:
            found.append(place)
    return found


def build():
    folder = "/home/emma/games"
    return {
        "about": "the lists of programs of Protocol/13-agent.md section 8, which names are interpreters, loaders, or of what "
        "runs anything, how many arguments of the loader stand before the program that it runs, the files that arguments name inside of "
        "themselves, the targets of links of processes, and the script, the script that is run for certain and the absolute paths that arguments after the first name from a folder",
        "needed": NEEDED,
        "shells": SHELLS,
        "otherShells": OTHER_SHELLS,
        "desktops": DESKTOPS,
        "packages": PACKAGES,
        "opening": OPENING,
        "interpreters": INTERPRETERS,
        "running": RUNNING,
        "further": FURTHER,
        "loaderOptions": LOADER_OPTIONS,
        "loaderSwitches": LOADER_SWITCHES,
        "folders": FOLDERS,
        "names": [{"name": name, "isInterpreter": is_interpreter(name), "isLoader": is_loader(name), "runsAnything": runs_anything(name)}
                  for name in NAMES],
        "loaded": [{"arguments": line, "place": place_of_loaded(line)} for line in LOADED],
        "links": LINKS,
        "inside": [{"name": name, "arguments": line, "files": inside(name, line)} for name, line in INSIDE],
        "arguments": [{"name": name, "arguments": line, "script": script(name, line), "folder": folder,
                       "certain": certain(name, line, folder), "places": places(line, folder)}
                      for name, line in ARGUMENTS],
    }

import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of which disks are the machine's own: Protocol/13-agent.md §8.
@Suite struct MountTableTests {
  private static let list = """
    27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
    28 27 0:25 / /dev/shm rw,nosuid,nodev - tmpfs tmpfs rw
    29 27 7:3 / /snap/chess/7 ro,nodev,relatime - squashfs /dev/loop3 ro
    30 27 8:1 / /home rw,nosuid,nodev - ext4 /dev/sda1 rw
    31 27 8:17 / /media/emma/My\\040games rw,nosuid,nodev,relatime shared:9 - ext4 /dev/sdb1 rw
    32 27 7:4 / /media/emma/USER rw,nosuid,nodev - ext4 /dev/loop4 rw
    33 27 0:41 / /over rw - overlay overlay rw
    malformed
    """
  private static let configured = """
    # /dev/sdb1 /media/emma/My\\040games ext4 defaults 0 0
    /dev/sda1 /home ext4 nosuid,nodev 0 2
    /dev/loop4 /media/emma/USER ext4 noauto,user 0 0
    short line
    """

  private func table() -> MountTable {
    var table = MountTable()
    table.take(
      MountTable.parse(Array(Self.list.utf8), configured: MountTable.configured(Array(Self.configured.utf8))))
    return table
  }

  private func device(_ text: String) throws -> KnownDevices.Device {
    try #require(KnownDevices.Device(text, radix: 10))
  }

  @Test("What users may mount is not the machine's own, unless the machine's owner has said that it is mounted")
  func foreign() {
    #expect(
      table().mounts.filter(\.isForeign).map(\.place) == ["/dev/shm", "/media/emma/My games", "/media/emma/USER"])
  }

  @Test(
    "A path lies in the mount with the longest place",
    arguments: [
      ("/usr/games/kart", "/"), ("/homework/kart", "/"), ("/home", "/home"), ("/home/emma/kart", "/home"),
      ("/media/emma/My games/kart", "/media/emma/My games"), ("/media/emma/My", "/"),
      ("/snap/chess/7/bin/chess", "/snap/chess/7"),
    ])
  func places(path: String, place: String) {
    #expect(table().mount(of: path)?.place == place)
  }

  @Test("A file of the machine's own has a device of its mounts, or is genuine below one, as on a subvolume of Btrfs")
  func files() throws {
    let table = table()
    // 254:0, 8:17 and 0:99, as a file's status gives them.
    let (own, stick, subvolume): (UInt64, UInt64, UInt64) = (0xFE00, 0x811, 0x63)
    #expect(!table.isForeign("/usr/games/kart", device: own, isGenuine: true))
    #expect(!table.isForeign("/app/bin/kart", device: own, isGenuine: false), "As in a Flatpak.")
    #expect(table.isForeign("/media/emma/My games/kart", device: stick, isGenuine: true))
    #expect(table.isForeign("/usr/games/kart", device: stick, isGenuine: false), "In mounts of the account's own.")
    #expect(!table.isForeign("/usr/games/kart", device: subvolume, isGenuine: true))
    #expect(table.isForeign("/media/emma/My games/sub/kart", device: subvolume, isGenuine: true))
    #expect(table.isForeign("/usr/games/kart", device: subvolume, isGenuine: false))
    #expect(table.isOwn(own) && !table.isOwn(stick))
  }

  @Test("A mapped file is at its path if it is on the file system there")
  func mapped() throws {
    var table = table()
    let (disk, memory, below) = (try device("254:0"), try device("0:25"), try device("8:2"))
    func isThere(_ path: String, _ device: KnownDevices.Device) -> Bool {
      table.isThere(path, device: device) { $0 == below }
    }
    for _ in 1...2 {
      let answers = (isThere("/usr/lib/libz.so.1", disk), isThere("/over/lib/libz.so.1", below))
      #expect(answers == (true, true))
      let others = (isThere("/usr/lib/libz.so.1", memory), isThere("/over/lib/libz.so.1", memory))
      #expect(others == (false, false))
    }
    table.take(MountTable.parse(Array("9 1 0:25 / / rw - tmpfs tmpfs rw\n9 1 8:2 / /usr/lib/f.so rw - ext4 x rw".utf8)))
    let (moved, onFile) = (isThere("/usr/lib/libz.so.1", memory), isThere("/usr/lib/f.so", below))
    #expect(moved, "Nothing of before is remembered.")
    #expect(onFile, "It is mounted on the file.")
  }

  @Test("This machine's own programs are on its own disks, also as its files name their devices")
  func here() throws {
    var table = MountTable()
    let (isNew, isOther) = (table.load(), table.load())
    #expect(isNew && !isOther)
    let cat = try #require(ProcFile.status("/usr/bin/cat"))
    #expect(!table.isForeign("/usr/bin/cat", device: UInt64(cat.st_dev), isGenuine: true))
    #expect(!table.isForeign("/bin", device: UInt64(cat.st_dev), isGenuine: false))
  }
}

import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyAgentProgram

/// Tests of what the agent reads of a real process and its files: Protocol/13-agent.md §8.
@Suite struct LookerTests {
  @Test(
    "A renamed copy of a program has its hash; it comes from a place the account can write to, the system's does not")
  func copies() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: folder.path + "/homework")
    var looker = ProcessLooker()
    let (original, copy) = (try RunningCat(["/bin/cat", "-"]), try RunningCat([folder.path + "/homework"]))
    let (first, second) = (try facts(of: original, &looker), try facts(of: copy, &looker))
    #expect(first.images.first?.name == "cat" && second.images.first?.name == "homework")
    #expect(first.images.first?.sha256 != nil && first.images.first?.sha256 == second.images.first?.sha256)
    #expect(!first.isFromWritablePlace && second.isFromWritablePlace)
    #expect(first.arguments == "/bin/cat -" && second.account == geteuid())
    #expect(abs(BootClock.now() - second.startedAt) < 60_000)
    // Deleted, it is still known.
    try FileManager.default.removeItem(atPath: folder.path + "/homework")
    var other = ProcessLooker()
    let gone = try facts(of: copy, &other)
    #expect(gone.images.first?.sha256 == first.images.first?.sha256 && gone.isFromWritablePlace)
    #expect(gone.images.first?.path == folder.path + "/homework")
  }

  @Test("Nothing is asked about files of a file system that only the child has mounted: its programs are unknown ones")
  func otherDevices() throws {
    let script = "mount -t tmpfs own /mnt && cp /bin/cat /mnt/cat && exec /mnt/cat"
    let program = try RunningCat(["/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    var looker = ProcessLooker()
    let facts = try facts(of: program, &looker)
    #expect(facts.images == [.init(path: "/mnt/cat", isHidden: true)])
    #expect(facts.isFromWritablePlace && !facts.isProtected)
    let original = try RunningCat(["/bin/cat"])
    let folder = "/proc/\(original.pid)"
    let devices = KnownDevices()
    #expect(devices.holdsExecutable(try #require(ProcFile.link("\(folder)/exe")), of: folder))
    #expect(!devices.holdsExecutable("/mnt/cat", of: "/proc/\(program.pid)"))
    // What the kernel knows by itself says the same.
    #expect(devices.isLocal(try #require(ProcFile.knownStatus("\(folder)/exe"))))
    #expect(!devices.isLocal(try #require(ProcFile.knownStatus("/proc/\(program.pid)/exe"))))
    #expect(devices.canRead("/.flatpak-info", atRootOf: folder) && !devices.isKnown("fff:ffff"))
  }

  @Test("A program of a Flatpak's runtime is the Flatpak's by the statement in its sandbox, unless that is a link")
  func flatpakRuntime() throws {
    let folder = try Folder()
    func sandbox(_ statement: String) throws -> RunningCat {
      let script = """
        mount -t tmpfs own \(folder.path) && cd \(folder.path) && mkdir usr elsewhere && mount --rbind /usr usr \
          && for name in bin lib lib64; do ln -s usr/$name $name; done && \(statement) && exec chroot . /usr/bin/cat
        """
      return try RunningCat(["/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    }
    let text = "printf '[Application]\\nname=org.example.Racer\\n' >"
    var looker = ProcessLooker()
    let racer = try facts(of: sandbox("\(text) .flatpak-info"), &looker)
    #expect(racer.flatpak == "org.example.Racer" && !racer.isGenuineFlatpak)
    #expect(racer.images.first?.path.hasSuffix("/usr/bin/cat") == true)
    // What it leads to could be on a file system that the account serves itself.
    let linked = try facts(of: sandbox("\(text) elsewhere/info && ln -s elsewhere/info .flatpak-info"), &looker)
    #expect(linked.flatpak == nil)
    #expect(try facts(of: RunningCat(["/bin/cat"]), &looker).flatpak == nil)
  }

  @Test("A program that the loader runs is an image of the loader's process, with its hash")
  func loader() throws {
    let folder = try Folder()
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: folder.path + "/game")
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    guard let loader = loaders.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return }
    var looker = ProcessLooker()
    let program = try RunningCat([loader, folder.path + "/game"])
    // What it has mapped is read with the second look.
    _ = try facts(of: program, &looker)
    let seen = try facts(of: program, &looker)
    #expect(seen.images.contains { $0.path == folder.path + "/game" })
    var hashes = HashCache()
    let expected = hashes.digest(of: "/bin/cat")
    #expect(seen.images.contains { $0.sha256 == expected && expected != nil })
  }

  @Test("The files of a package belong to it only where they are its own")
  func packages() throws {
    let folder = try Folder()
    let copied = folder.path + "/cat"
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: copied)
    for (name, line) in [("games:amd64", "/bin/cat"), ("other", copied), ("unwanted", "/usr/bin/cat")] {
      try Data("/.\n/usr\n\(line)\n".utf8).write(to: URL(filePath: "\(folder.path)/\(name).list"))
    }
    var looker = ProcessLooker(packageFolder: folder.path)
    looker.load(packages: ["games", "other"])
    let (original, copy) = (try RunningCat(["/bin/cat"]), try RunningCat([copied]))
    #expect(try facts(of: original, &looker).images[0].packages == ["games"])
    let second = try facts(of: copy, &looker)
    #expect(
      second.images[0].path == copied && second.images[0].packages == (geteuid() == 0 ? ["other"] : []),
      "What the account can change is no package's.")
    try Data("/other\n".utf8).write(to: URL(filePath: "\(folder.path)/games:amd64.list"))
    looker.load(packages: ["games"])
    looker.forgetImages()
    #expect(try facts(of: original, &looker).images[0].packages == [])
  }

  @Test("A copy of a program that orders name by its package or path is known by its content, and only as a weak match")
  func copiesOfNamed() throws {
    let folder = try Folder()
    let copied = folder.path + "/homework"
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: copied)
    try Data("/.\n/usr/bin/cat\n".utf8).write(to: URL(filePath: "\(folder.path)/games.list"))
    let (original, copy) = (try RunningCat(["/bin/cat"]), try RunningCat([copied]))
    var byPackage = ProcessLooker(packageFolder: folder.path)
    byPackage.load(packages: ["games"])
    let first = try facts(of: original, &byPackage).images[0]
    #expect(first.packages == ["games"] && first.copiedPackages == [])
    let second = try facts(of: copy, &byPackage).images[0]
    #expect(second.packages == [] && second.copiedPackages == ["games"])

    var byPath = ProcessLooker(packageFolder: folder.path)
    byPath.load(packages: [], paths: ["/usr/bin/cat"])
    #expect(try facts(of: original, &byPath).images[0].copiedPaths == [])
    #expect(try facts(of: copy, &byPath).images[0].copiedPaths == ["/usr/bin/cat"])
    // Only root can put a file where the system's programs are: that one is no copy of the child's.
    var reverse = ProcessLooker(packageFolder: folder.path)
    reverse.load(packages: [], paths: [copied])
    #expect(try facts(of: original, &reverse).images[0].copiedPaths == (geteuid() == 0 ? [copied] : []))
    // Another file of the same size is none.
    let handle = try #require(FileHandle(forWritingAtPath: folder.path + "/games.list"))
    try handle.truncate(atOffset: UInt64(FileManager.default.contents(atPath: "/bin/cat")?.count ?? 0))
    try handle.close()
    chmod(folder.path + "/games.list", 0o755)
    var other = ProcessLooker(packageFolder: folder.path)
    other.load(packages: [], paths: [folder.path + "/games.list"])
    #expect(try facts(of: copy, &other).images[0].copiedPaths == [])
  }

  @Test("A program is known by a path that is a link of root's to it, such as the shell's")
  func linked() throws {
    let folder = try Folder()
    let own = try #require(realpath("/usr/bin/sh", nil).map { String(cString: $0) })
    let program = try RunningCat(["/usr/bin/sh", "-c", "printf x; read -r line"])
    var byLink = ProcessLooker(packageFolder: folder.path)
    byLink.load(packages: [], paths: ["/usr/bin/sh"])
    let image = try facts(of: program, &byLink).images[0]
    #expect(image.path == own && image.copiedPaths == ["/usr/bin/sh"])
    let link = folder.path + "/shell"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own)
    var byOther = ProcessLooker(packageFolder: folder.path)
    byOther.load(packages: [], paths: [link])
    #expect(try facts(of: program, &byOther).images[0].copiedPaths == (geteuid() == 0 ? [link] : []))
  }

  @Test(
    "A file that others' mounts give the path of a needed program is not one; nor does a loader hide its program's place"
  )
  func places() throws {
    var mounts = MountTable()
    _ = mounts.load()
    func place(_ path: String, _ file: String) throws -> ProgramPlace {
      ProgramPlace(path: path, status: try #require(ProcFile.status(file)), mounts)
    }
    #expect(try place("/usr/bin/login", "/usr/bin/login").isNeeded)
    #expect(try !place("/usr/bin/login", "/usr/bin/cat").isNeeded)
    #expect(try !place("/usr/bin/cat", "/usr/bin/cat").isNeeded)
    #expect(try place("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/bin/cat").isLoader)
    #expect(try !place("/usr/bin/ld", "/bin/cat").isLoader)
    #expect(try place("/usr/bin/cat (deleted)", "/usr/bin/cat").isWritable { _ in false })
    #expect(try !place("/usr/bin/cat", "/usr/bin/cat").isWritable { $0 != 0 })
  }
}

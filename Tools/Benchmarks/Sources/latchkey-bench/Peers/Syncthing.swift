import Foundation

/// An idle syncthing without peers, with its own home, its page on loopback, and no traffic to
/// other machines.
final class Syncthing {
  let process: LineProcess

  /// Creates an instance with a home folder, which must not exist.
  init(folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "/usr/bin/syncthing"
    setenv("STNOUPGRADE", "1", 1)
    // One process, without another one that watches it and that would be measured and ended in its
    // place.
    setenv("STMONITORED", "yes", 1)
    let made = try LineProcess(path, ["generate", "--home", folder, "--skip-port-probing", "--no-default-folder"])
    made.end()
    let file = URL(fileURLWithPath: folder + "/config.xml")
    var text = try String(contentsOf: file, encoding: .utf8)
    for (name, value) in [
      ("globalAnnounceEnabled", "false"), ("localAnnounceEnabled", "false"), ("relaysEnabled", "false"),
      ("natEnabled", "false"), ("crashReportingEnabled", "false"), ("startBrowser", "false"),
      ("autoUpgradeIntervalH", "0"), ("urAccepted", "-1"), ("listenAddress", "tcp://127.0.0.1:28885"),
      ("stunKeepaliveStartS", "0"),
    ] {
      text = text.replacingOccurrences(
        of: "<\(name)>[^<]*</\(name)>", with: "<\(name)>\(value)</\(name)>", options: .regularExpression)
    }
    text = text.replacingOccurrences(
      of: "<address>127.0.0.1:[0-9]*</address>", with: "<address>127.0.0.1:28884</address>", options: .regularExpression
    )
    try text.write(to: file, atomically: true, encoding: .utf8)
    process = try LineProcess(path, ["serve", "--home", folder, "--no-browser", "--no-restart", "--logfile=-"])
  }

  func stop() { process.kill() }
}

import Foundation
import Glibc
import LatchkeyModel

/// The settings of a receiver's bridge, in a file that only its owner can read:
/// `receivers/NAME.json` in the state folder.
///
/// Spec: Protocol/14-bridge.md §1.
public struct BridgeSettings: Codable, Hashable, Sendable {
  public var name: String
  public var kind: ReceiverKind
  /// The secret by which the node recognizes the receiver.
  public var token: String
  /// The settings of the kind, such as an address.
  public var values: [String: String]
  /// The secrets of the kind, such as a password.
  public var secrets: [String: String]

  private static let mostBytes = 65_536

  public init(
    name: String, kind: ReceiverKind, token: String, values: [String: String] = [:], secrets: [String: String] = [:]
  ) { (self.name, self.kind, self.token, self.values, self.secrets) = (name, kind, token, values, secrets) }

  public static func folder(in stateFolder: String) -> String { stateFolder + "/receivers" }

  /// Returns the path of a receiver's file in a node's state folder.
  public static func path(of name: String, in stateFolder: String) -> String {
    folder(in: stateFolder) + "/\(name).json"
  }

  /// Returns the path of the file with the questions that a receiver shows.
  public static func record(of name: String, in stateFolder: String) -> String {
    folder(in: stateFolder) + "/\(name).shown"
  }

  /// Reads the settings of a receiver.
  public static func read(_ name: String, in stateFolder: String) throws(BridgeFault) -> BridgeSettings {
    guard NewReceiver.isName(name) else { throw .unknown(name) }
    let path = path(of: name, in: stateFolder)
    guard access(path, F_OK) == 0 else { throw .unknown(name) }
    let bytes = try PrivateFile.read(path, most: mostBytes)
    do { return try JSONDecoder().decode(BridgeSettings.self, from: Data(bytes)) } catch {
      throw BridgeFault("\(path) is damaged: set the receiver up anew with `latchkey receivers add`.")
    }
  }

  /// The file's content.
  public var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
  }

  /// Returns a value that the kind requires.
  public func value(_ key: String) throws(BridgeFault) -> String { try needed(key, in: values) }

  /// Returns a secret that the kind requires.
  public func secret(_ key: String) throws(BridgeFault) -> String { try needed(key, in: secrets) }

  private func needed(_ key: String, in table: [String: String]) throws(BridgeFault) -> String {
    guard let value = table[key], !value.isEmpty else {
      throw BridgeFault("The settings of “\(name)” lack “\(key)”: set it up anew with `latchkey receivers add`.")
    }
    return value
  }
}

/// A fault that prevents a bridge from working: a sentence with the next step.
public struct BridgeFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var sentence: String

  public init(_ sentence: String) { self.sentence = sentence }

  public var description: String { sentence }

  fileprivate static func unknown(_ name: String) -> BridgeFault {
    BridgeFault(
      "There is no receiver “\(DeviceName(sanitising: name))” on this machine: `latchkey receivers` lists them, and "
        + "`latchkey receivers add` sets one up.")
  }
}

/// Files with secrets.
public enum PrivateFile {
  /// Reads a file that belongs to this user or root, and that no other user can read.
  public static func read(_ path: String, most: Int) throws(BridgeFault) -> [UInt8] {
    // Without `O_NONBLOCK`, opening a named pipe would wait for a writer, possibly for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw BridgeFault("\(path) cannot be read (\(String(cString: strerror(errno)))): give a file that you can read.")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BridgeFault("\(path) is no file: give a file with the secret in it.")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o077 == 0 else {
      throw BridgeFault("Others can read \(path), which holds a secret: run `chmod 600 \(path)`.")
    }
    var bytes = [UInt8](repeating: 0, count: most + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
      if more == 0 { break }
      if more < 0, errno == EINTR { continue }
      guard more > 0 else {
        throw BridgeFault("\(path) cannot be read (\(String(cString: strerror(errno)))): see whether the disk is well.")
      }
      count += more
    }
    guard count <= most else { throw BridgeFault("\(path) is over \(most) bytes: give a file with the secret alone.") }
    return Array(bytes[..<count])
  }
}

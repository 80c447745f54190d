import Foundation
import Glibc

/// The machine on which the figures were measured.
struct BenchMachine {
  private let folder: String

  /// - Parameter folder: The folder with the nodes' state.
  init(folder: String) {
    self.folder = folder
  }

  /// The machine in one line, with its load before the measurement.
  var text: String {
    let cpu = line(of: "/proc/cpuinfo", beginning: "model name")?.split(separator: ":").last.map(String.init)
    let memory = line(of: "/proc/meminfo", beginning: "MemTotal")?.split(separator: " ").dropFirst().first
    let gigabytes = memory.flatMap { Double($0) }.map { String(format: "%.0f GB", $0 / 1e6) } ?? "?"
    let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? "?"
    return
      "\(cpu?.trimmingCharacters(in: .whitespaces) ?? "?"), \(ProcessInfo.processInfo.activeProcessorCount) cores, "
      + "\(gigabytes), Linux \(kernel.trimmingCharacters(in: .whitespacesAndNewlines)), load average \(load)"
  }

  var load: String {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? "?"
    return text.split(separator: " ").prefix(3).joined(separator: " ")
  }

  /// Returns how long 4 KiB take to reach the disk that the nodes use.
  func synchronisation() throws -> Durations {
    var durations = Durations()
    let path = folder + "/probe"
    let file = open(path, O_CREAT | O_RDWR, 0o600)
    guard file >= 0 else { throw BenchFault("\(path) cannot be written: \(String(cString: strerror(errno))).") }
    defer {
      close(file)
      unlink(path)
    }
    let page = [UInt8](repeating: 1, count: 4_096)
    for number in 0..<200 {
      let began = Durations.now()
      guard pwrite(file, page, page.count, number * page.count) == page.count, fdatasync(file) == 0 else {
        throw BenchFault("\(path) cannot be written: \(String(cString: strerror(errno))).")
      }
      durations.record(Durations.now() - began)
    }
    return durations
  }

  private func line(of path: String, beginning: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").first { $0.hasPrefix(beginning) }
      .map(String.init)
  }
}

import Glibc
import LatchkeyDiscovery

/// A reader of the probe's commands on a thread of its own.
final class Reader: Sendable {
  private let discoveries: [MulticastDiscovery]
  private let onEnd: @Sendable () -> Void

  /// Prepares to read.
  init(discoveries: [MulticastDiscovery], onEnd: @escaping @Sendable () -> Void) {
    self.discoveries = discoveries
    self.onEnd = onEnd
  }

  /// Reads until `quit` or the end of the input.
  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().read()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func read() {
    while let line = readLine(), line != "quit" {
      var words = line.split(separator: " ").map(String.init)[...]
      var discovery = discoveries[0]
      if let number = words.first.flatMap({ Int($0) }), discoveries.indices.contains(number) {
        discovery = discoveries[number]
        words.removeFirst()
      }
      discovery.advertise(words.first == "advertise" ? Self.advertisement(words.dropFirst()) : nil)
    }
    onEnd()
  }

  private static func advertisement(_ words: ArraySlice<String>) -> ServiceAdvertisement? {
    guard let name = words.first, let port = words.dropFirst().first.flatMap({ UInt16($0) }) else { return nil }
    var text: [String: [UInt8]] = [:]
    for word in words.dropFirst(2) {
      let parts = word.split(separator: "=", maxSplits: 1)
      text[String(parts[0])] = Array((parts.count > 1 ? parts[1] : "").utf8)
    }
    return ServiceAdvertisement(instanceName: name, port: port, text: text)
  }
}

import LatchkeyModel
import LatchkeyProtocol

/// An independent check of what one session has sent.
///
/// The numbers are consecutive and within the peer's window, and nothing is sent while a stream
/// restarts.
struct SendingWatch {
  private struct Stream {
    var epoch: UInt64
    /// The last number that was sent, or that the peer had before.
    var through: UInt64
    var onTheWay: [DeliveryItem] = []
  }

  private let windowItems: Int
  private let windowBytes: Int
  private var streams: [StreamClass: Stream] = [:]
  private var restarting: Set<StreamClass> = []

  init(_ hello: Hello) {
    (windowItems, windowBytes) = (Int(hello.windowItems), Int(hello.windowBytes))
  }

  /// Records that a stream starts or restarts.
  mutating func begins(_ streamClass: StreamClass, _ position: OutboxPosition) {
    restarting.remove(streamClass)
    streams[streamClass] = Stream(epoch: position.epoch, through: position.storedThrough)
  }

  mutating func restarts(_ streamClass: StreamClass) { restarting.insert(streamClass) }

  /// Records a report of the peer that the machine believed.
  mutating func stored(_ position: StreamPosition) {
    guard var stream = streams[position.streamClass], stream.epoch == position.epoch else { return }
    stream.onTheWay.removeAll { $0.skipThrough <= position.through }
    stream.through = max(stream.through, position.through)
    streams[position.streamClass] = stream
  }

  /// Checks a run that the machine sends.
  mutating func sent(_ run: ItemRun) throws(FuzzFault) {
    try require(!restarting.contains(run.streamClass), "\(run.streamClass) is sent while it restarts")
    guard var stream = streams[run.streamClass], stream.epoch == run.epoch else {
      throw FuzzFault("a run of \(run.streamClass) under an epoch that is not in force")
    }
    for item in run.items {
      try require(item.sequence == stream.through + 1, "\(item.sequence) is sent after \(stream.through)")
      stream.through = item.skipThrough
      stream.onTheWay.append(item)
    }
    let bytes = stream.onTheWay.dropLast().reduce(0) { $0 + $1.cost }
    try require(
      stream.onTheWay.count <= windowItems && (bytes < windowBytes || stream.onTheWay.isEmpty),
      "\(stream.onTheWay.count) items and \(bytes) bytes beside the last, where \(windowItems) and \(windowBytes) may be"
    )
    streams[run.streamClass] = stream
  }
}

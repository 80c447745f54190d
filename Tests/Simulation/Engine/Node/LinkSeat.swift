import LatchkeyModel
import LatchkeyProtocol

/// The connection of one session, with the keys of its frames and the counts of the oracle.
final class LinkSeat {
  let port: Port
  private var cipher: SessionCipher?
  // The peer's window, and the items in flight to it, as the simulator counts them.
  var windowItems = Int.max
  var windowBytes = Int.max
  var onTheWay: [StreamClass: [DeliveryItem]] = [:]
  var epochs: [StreamClass: UInt64] = [:]
  /// The streams whose stated items the disk did not recognize.
  var foreign: Set<StreamClass> = []

  init(_ port: Port, _ sealing: Sealing) {
    self.port = port
    if case .noise(let transport) = sealing { cipher = SessionCipher(transport) }
  }

  func seal(_ batch: SessionBatch) throws(SessionFault) -> Frame {
    guard cipher != nil else { return .plain(batch, connection: port.connection.number) }
    return .sealed(try cipher?.seal(batch) ?? [])
  }

  func open(_ frame: Frame) throws(SessionFault) -> SessionBatch {
    switch frame {
    // Frames of another connection are encrypted with another key.
    case .plain(let batch, port.connection.number) where cipher == nil: return batch
    case .sealed(let bytes):
      guard let batch = try cipher?.open(bytes) else { throw .authentication }
      return batch
    default: throw .authentication
    }
  }
}

extension SocketEndpoint {
  /// Creates the address that stands for a place.
  ///
  /// A machine is at one place until it moves, and no place has two machines.
  init(place: Int) {
    self.init(host: "p\(place)", port: 7)
  }

  var place: Int? { host.first == "p" ? Int(host.dropFirst()) : nil }
}

extension SessionEnds {
  init(_ port: Port) {
    let remote = SocketEndpoint(place: port.remotePlace ?? 0)
    self.init(remote: "\(remote)", remoteHost: remote.host, localHost: SocketEndpoint(place: port.place).host)
  }
}

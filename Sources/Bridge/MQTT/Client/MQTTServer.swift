import LatchkeyModel

/// The broker that a bridge connects to.
struct MQTTServer: Hashable, Sendable {
  var host: String
  var port: UInt16
  var username: String?
  var password: String?
  /// The certificates that may have signed the broker's, as a file; `nil` for the system's.
  var authorities: String?
  var isEncrypted: Bool
}

/// A reason why there is no connection to the broker.
enum MQTTFault: Error, Hashable, Sendable {
  case noLibrary
  case unknownHost
  /// No connection could be made; in the system's words.
  case unreachable(String)
  /// The broker's certificate is not accepted; in the words of the TLS library.
  case certificate(String)
  /// The encrypted connection failed for another reason.
  case encryption(String)
  case password
  /// The broker refused for another reason; in the library's words.
  case refused(String)
  case silent
  case lost
  /// A message was not confirmed in time.
  case unconfirmed
  /// More messages arrived than are taken.
  case flood
  /// The broker took the connection and hides what the bridge has to read.
  case unreadable
  case failed(String)

  /// Returns the fault as one sentence with the next step.
  func sentence(_ server: MQTTServer) -> String {
    let place = "the MQTT broker at \(server.host):\(server.port)"
    return switch self {
    case .noLibrary: "MQTT needs a library that is not installed: run `apt install libmosquitto1`."
    case .unknownHost: "No machine is called \(server.host): check the broker's name."
    case .unreachable(let why): "\(place.capitalizedFirst) cannot be reached (\(why)): check that it runs."
    case .certificate(let why):
      "The certificate of \(place) is not accepted (\(why)): give the file of the authority that signed it, with "
        + "--ca, and the name in it as the server."
    case .encryption(let why):
      "\(place.capitalizedFirst) does not speak TLS 1.2 or later there (\(why)): check the port, often 8883."
    case .password:
      "\(place.capitalizedFirst) refused the user name or the password: set the receiver up again with the right "
        + "ones."
    case .refused(let why): "\(place.capitalizedFirst) refused the connection (\(why)): see its log."
    case .silent:
      "\(place.capitalizedFirst) does not answer: check the port, and that TLS is used where the broker wants it."
    case .lost: "The connection to \(place) was lost: check that the broker runs."
    case .unconfirmed:
      "\(place.capitalizedFirst) answers but does not confirm what Latchkey publishes: see its log, and whether its "
        + "disk is full."
    case .flood: "\(place.capitalizedFirst) sent more messages than Latchkey takes: find who publishes to latchkey/do."
    case .unreadable:
      "\(place.capitalizedFirst) does not let Latchkey read what it has written: allow its user to read and write "
        + "latchkey/# and to write homeassistant/device/#."
    case .failed(let why): "The connection to \(place) failed (\(why)): see the broker's log."
    }
  }
}

extension String {
  /// The text with its first letter in upper case.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix

/// The reason why a server did not answer.
enum WebFault: Error, Hashable, Sendable {
  case unknownName
  case privateAddress(String)
  case refused
  case certificate
  case tooSlow
  case interrupted

  /// Returns the reason for an error of the HTTP client.
  init(_ error: any Error) {
    let words = String(describing: error)
    if words.contains("CERTIFICATE_VERIFY_FAILED") || words.contains("unableToValidateCertificate")
      || words.contains("HOSTNAME_MISMATCH")
    {
      self = .certificate
    } else if let fault = error as? HTTPClientError,
      [.connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded].contains(fault)
    {
      self = .tooSlow
    } else if let fault = error as? NIOConnectionError {
      self = fault.connectionErrors.isEmpty ? .unknownName : .refused
    } else if let fault = error as? IOError,
      [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(fault.errnoCode)
    {
      self = .refused
    } else if words.contains("connect(") || words.contains("Connection refused") {
      self = .refused
    } else {
      self = .interrupted
    }
  }

  /// A Boolean value that indicates whether the server may have taken what it was sent.
  var isDoubtful: Bool { self == .tooSlow || self == .interrupted }

  /// Returns one sentence: the fault and the next step.
  func sentence(of server: String) -> String {
    switch self {
    case .unknownName:
      "The name in \(server) is not known in this network: check its spelling, and that this machine is online."
    case .privateAddress(let address):
      "\(server) has the address \(address) in this network: add the receiver with `--private` if that is meant."
    case .refused:
      "\(server) cannot be reached: see whether the server runs and this machine is online. It is tried again."
    case .certificate:
      "The certificate of \(server) is not valid for this machine: renew it or correct the name there, or put the "
        + "certificate of your own authority into /usr/local/share/ca-certificates and run `update-ca-certificates`."
    case .tooSlow: "\(server) does not answer in time. It is tried again."
    case .interrupted: "\(server) ended the connection without a complete answer. It is tried again."
    }
  }
}

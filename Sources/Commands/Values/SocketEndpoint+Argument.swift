import ArgumentParser
import LatchkeyModel

/// A machine's address on the command line: `host:port`, with an IPv6 address in brackets.
extension SocketEndpoint: ExpressibleByArgument {
  /// Creates an endpoint from an argument; `nil` if it is malformed.
  public init?(argument: String) {
    self.init(argument)
  }
}

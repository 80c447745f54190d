import ArgumentParser
import LatchkeyModel

/// A machine's address on the command line: `host:port`, an IPv6 address in brackets.
extension SocketEndpoint: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
  }
}

import ArgumentParser

/// Names of network interfaces as one argument, separated by commas.
struct InterfaceNames: Hashable, Sendable, ExpressibleByArgument {
  let names: [String]

  /// The lengths that the kernel accepts.
  private static let nameBytes = 1...15

  init?(argument: String) {
    names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isRight = names.allSatisfy {
      Self.nameBytes.contains($0.utf8.count) && !$0.contains("/") && !$0.contains(where: \.isWhitespace)
    }
    guard isRight else { return nil }
  }
}

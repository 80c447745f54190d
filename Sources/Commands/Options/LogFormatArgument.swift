import ArgumentParser
import LatchkeyControl

/// The look of log lines as an argument.
enum LogFormatArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text
  case json

  var format: LogFormat {
    switch self {
    case .text: .text
    case .json: .json
    }
  }
}

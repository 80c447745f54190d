import LatchkeyModel
import LatchkeyRules

extension RequestListing {
  /// Returns what is asked for, or given, such as "30 min for rewards".
  ///
  /// - Parameters:
  ///   - given: The minutes that were given; those that were asked for if it is `nil`.
  ///   - shown: Makes the name of an application fit for where it is read.
  /// - Returns: The words.
  package func wish(minutes given: Int? = nil, shown: (String) -> String = { $0 }) -> Phrase {
    let app = appName.map { Phrase(verbatim: shown($0)) }
    guard let minutes = given ?? minutes else { return app ?? Phrase("an application") }
    let time = SpanText.phrase(minutes: minutes)
    guard let purpose = app ?? category.map(ReasonText.plural) else { return time }
    return Phrase("{time} for {what}", ["time": .phrase(time), "what": .phrase(purpose)])
  }
}

/// Judges one matter by the facts.
///
/// Pure: nothing is looked at here.
protocol Check: Sendable {
  func findings(_ facts: Facts) -> [Finding]
}

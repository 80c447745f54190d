/// A few values by number.
///
/// A dictionary has room for two values when it holds one, which is what most links need.
package struct FewByNumber<Value> {
  private var entries: [(key: Int, value: Value)] = []

  package init() {}

  package subscript(number: Int) -> Value? {
    get { entries.first { $0.key == number }?.value }
    _modify {
      let place = entries.firstIndex { $0.key == number }
      // The value is taken out while it is changed, so that its arrays are not copied.
      var value = place.map { entries.remove(at: $0).value }
      defer { if let changed = value.take() { entries.insert((number, changed), at: place ?? entries.endIndex) } }
      yield &value
    }
  }

  /// The numbers, in the order in which they were added.
  package var keys: [Int] { entries.map(\.key) }
  package var count: Int { entries.count }

  /// Removes the value of a number, and returns it.
  package mutating func removeValue(forKey number: Int) -> Value? {
    entries.firstIndex { $0.key == number }.map { entries.remove(at: $0).value }
  }
}

extension FewByNumber: Sequence {
  package func makeIterator() -> IndexingIterator<[(key: Int, value: Value)]> { entries.makeIterator() }
}

extension FewByNumber: Sendable where Value: Sendable {}

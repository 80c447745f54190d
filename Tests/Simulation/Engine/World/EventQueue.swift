/// The planned events as a binary heap, in the order of their times and then of their planning.
struct EventQueue {
  struct Event {
    let time: Int64
    let order: UInt64
    let run: () -> Void

    func isBefore(_ other: Event) -> Bool { time != other.time ? time < other.time : order < other.order }
  }

  private var heap: [Event] = []
  private var orders: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }

  mutating func add(at time: Int64, _ run: @escaping () -> Void) {
    orders += 1
    heap.append(Event(time: time, order: orders, run: run))
    var place = heap.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      guard heap[place].isBefore(heap[parent]) else { return }
      heap.swapAt(place, parent)
      place = parent
    }
  }

  /// Removes and returns the first event that is not later than `end`.
  mutating func next(before end: Int64) -> Event? {
    if let first = heap.first, first.time > end { return nil }
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      guard least != place else { return first }
      heap.swapAt(place, least)
      place = least
    }
  }

  mutating func removeAll() {
    heap = []
  }
}

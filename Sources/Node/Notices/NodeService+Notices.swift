import LatchkeyModel

extension NodeService {
  /// Returns a stream of what the child whose account the caller uses is told: what is kept, then each new notice.
  public func notices(caller: UInt32?, after number: Int) async throws(LocalAPIError) -> AsyncStream<ChildNotice> {
    let child = try ownChild(caller: caller, try await household())
    let board = context.notices
    return board.changes.events(keepingNewest: NoticeBoard.capacity, since: number) { last in
      let notices = board.notices(for: child, after: last)
      last = notices.last?.number ?? last
      return notices
    }
  }
}

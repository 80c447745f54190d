import Foundation
import Glibc

/// Runs blocking work on a thread of its own, so that it does not delay other tasks.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}

/// Sleeps for a number of milliseconds, on a thread that may wait.
func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

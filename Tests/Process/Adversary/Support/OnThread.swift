import Foundation
import Glibc

/// Run work that waits on a thread of its own, so that it keeps nobody else from going on.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}

/// Give the processor to others for a moment, on a thread that may wait.
func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

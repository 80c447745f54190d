import Foundation
import Glibc

/// A signal that is watched instead of ending the process.
struct SignalWatch: @unchecked Sendable {
  // Unchecked: the source's type does not say so, but its `cancel` may be called from any thread.
  let source: any DispatchSourceSignal
  let number: Int32

  /// Let the signal end the process again.
  func stop() {
    source.cancel()
    signal(number, SIG_DFL)
  }
}

import LatchkeyModel
import LatchkeyStore

extension LocalAPIError {
  init(_ error: StoreError) {
    switch error {
    case .noSuchPeer: self.init(.unknownDevice, error.description)
    case .queueFull, .tooManyPeers: self.init(.limit, error.description)
    case .refused: self.init(.invalid, error.description)
    case .unexpected: self.init(.internal, error.description)
    case .diskFull, .readOnly, .inputOutput, .cannotOpen, .corrupt, .newerVersion:
      self.init(.storage, error.description)
    }
    phrase = error.phrase
  }
}

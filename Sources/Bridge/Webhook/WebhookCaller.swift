import LatchkeySystem

/// The calls of a webhook, each to an address that was checked.
struct WebhookCaller: Sendable {
  let settings: WebhookSettings

  /// Sends a call once.
  ///
  /// The name is looked up here, and the connection goes to an address that passed the check: a
  /// name that changes meanwhile leads nowhere else.
  func send(_ call: WebhookCall) async -> Result<WebAnswer, WebFault> {
    let host = settings.url.host
    let addresses = await NameLookup.addresses(of: host)
    guard let first = addresses.first else { return .failure(.unknownName) }
    guard let address = settings.isPrivate ? first : addresses.first(where: \.isPublic) else {
      return .failure(.privateAddress(first.description))
    }
    // One client for each call, which are few, since its addresses are fixed.
    let client = WebClient(pins: NetworkAddress(host) == nil ? [host: address] : [:])
    let headers = call.headers(at: WallClock.now() / 1_000, key: settings.key)
    let answer = await client.post(settings.url.text, headers, call.body)
    await client.close()
    return answer
  }
}

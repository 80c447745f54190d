/// Tells whether an instance whose TXT record holds these pairs is worth following, down to its addresses.
///
/// It is called on the loop's thread and must not wait.
public typealias ServiceInterest = @Sendable (_ text: [String: [UInt8]]) -> Bool

/// What an ntfy server's refusals mean for a parent.
enum NtfyFault {
  /// What the bridge wanted of the server.
  enum Wish {
    case publish
    case read
  }

  /// Returns one sentence about a status other than a success: the fault and the next step.
  static func sentence(_ status: Int, of server: String, to wish: Wish) -> String {
    switch (status, wish) {
    case (401, _):
      "\(server) does not know the user, password or token: set the receiver up anew with `latchkey receivers add ntfy`."
    case (403, .publish):
      "\(server) does not let this machine publish: have its operator run the `ntfy access` lines that "
        + "`latchkey receivers add ntfy` shows."
    case (403, .read):
      "\(server) does not let this machine read what the buttons post: have its operator run the `ntfy access` lines "
        + "that `latchkey receivers add ntfy` shows."
    case (404, _), (405, _): "\(server) is no ntfy server (status \(status)): check the address, also a path in it."
    case (400, _), (413, _): "\(server) refuses the message (status \(status)): choose --text bare or names."
    case (429, _), (507, _):
      "\(server) takes no more messages for now (status \(status)): wait, or raise `visitor-request-limit-burst` there."
    case (300..<400, _): "\(server) sends callers elsewhere (status \(status)): add the receiver with that address."
    case (500..., _): "\(server) has a fault of its own (status \(status)): see its log. It is tried again."
    default: "\(server) refuses with status \(status): see its log."
    }
  }

  /// Returns whether the server refuses this message alone.
  static func isAboutMessage(_ status: Int) -> Bool { status == 400 || status == 413 || status == 422 }
}

/// Where a node's local API is found.
public enum ControlSocket {
  /// The socket's name in the state folder.
  public static let name = "control.sock"
}

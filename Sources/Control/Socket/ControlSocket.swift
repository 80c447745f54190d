/// The location of a node's local API.
public enum ControlSocket {
  /// The socket's name in the state folder.
  public static let name = "control.sock"
}

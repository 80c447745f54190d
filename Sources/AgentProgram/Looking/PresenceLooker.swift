import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The sources that show whether people are at the machine: logind's sessions and input devices
/// (Protocol/13-agent.md §9, §10).
final class PresenceLooker {
  /// The time between two searches for a bus and for devices, in milliseconds.
  private static let lookMilliseconds: Int64 = 5_000
  /// The shortest time between two questions to logind, in milliseconds; hints may change often.
  private static let askMilliseconds: Int64 = 200
  /// The shortest time between two readings of the devices, in milliseconds.
  ///
  /// Programs may start many times a second.
  private static let readMilliseconds: Int64 = 500

  private var bus: LoginBus?
  private let devices: InputDevices
  private var sessions: [LoginSession] = []
  private var lastLook: BootInstant
  private var lastAsked: BootInstant
  private var lastRead: BootInstant
  private var lastInput: BootInstant?
  private var isNews = true

  /// Connects to logind and opens the devices, as far as they exist.
  init(at now: BootInstant) {
    bus = LoginBus()
    devices = InputDevices()
    lastLook = now
    lastAsked = now + -Self.askMilliseconds
    lastRead = now + -Self.readMilliseconds
  }

  /// The bus's descriptor, which can be polled; -1 without one.
  var descriptor: Int32 { bus?.descriptor ?? -1 }
  var hasSessions: Bool { bus?.isConnected == true }
  var hasInput: Bool { devices.canSee }

  /// Returns when the next question to logind is due; `nil` if logind has reported nothing new.
  func nextQuestion() -> BootInstant? {
    if bus?.process() == true { isNews = true }
    return isNews ? lastAsked + Self.askMilliseconds : nil
  }

  func look(at now: BootInstant) -> AgentPresence {
    if now - lastLook >= Self.lookMilliseconds {
      lastLook = now
      if !hasSessions { bus = LoginBus() }
      devices.look()
      isNews = true
    }
    if bus?.process() == true { isNews = true }
    if isNews, now - lastAsked >= Self.askMilliseconds {
      (isNews, lastAsked) = (false, now)
      sessions = bus?.sessions() ?? []
    }
    if now - lastRead >= Self.readMilliseconds {
      lastRead = now
      lastInput = devices.lastInput()
    }
    return AgentPresence(
      accounts: hasSessions ? Set(sessions.filter(\.isInUse).map(\.user)) : nil,
      locked: Set(sessions.filter { $0.isInForeground && $0.isLocked }.map(\.user)),
      input: hasInput ? .last(lastInput) : .unknown)
  }
}

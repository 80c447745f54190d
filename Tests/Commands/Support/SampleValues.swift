import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

@testable import LatchkeyNode

/// One value of every kind that the local API carries, always the same.
enum SampleValues {
  /// Unix milliseconds of 2026-11-21 13:00 UTC.
  static let now: Int64 = 1_795_266_000_000

  static func device(_ byte: UInt8) -> DeviceID {
    guard let id = DeviceID(bytes: [UInt8](repeating: byte, count: DeviceID.size)) else {
      preconditionFailure("20 bytes are an ID")
    }
    return id
  }

  static let parentID = device(1)
  static let childID = device(2)
  static let childName = DeviceName(sanitising: "Emma's PC")

  static func app(_ text: String) -> AppID {
    guard let id = AppID(text) else { preconditionFailure("\(text) is an application's ID") }
    return id
  }

  static let commandID = CommandID(milliseconds: now, random: [UInt8](repeating: 0xAB, count: 10))

  static let recordID: RecordID = {
    guard let id = RecordID(bytes: [UInt8](repeating: 0x5A, count: 16)) else {
      preconditionFailure("16 bytes are an ID")
    }
    return id
  }()

  static let registered = RegisteredDevice(
    deviceID: childID, name: childName, role: .child, childName: "Emma",
    identityKey: String(repeating: "ab", count: 32), linkKey: String(repeating: "cd", count: 32),
    pairedAt: now - 3 * 86_400_000, lastSeenAt: now - 5_000, lastSyncedAt: now - 65_000)

  static let child: ChildListing = {
    guard let id = ChildID(bytes: [UInt8](repeating: 0xC1, count: 16)) else {
      preconditionFailure("16 bytes are an ID")
    }
    return ChildListing(
      childID: id, name: DeviceName(sanitising: "Emma"),
      machines: [childName, DeviceName(sanitising: "Kitchen laptop")],
      untold: [childName])
  }()

  static func rule(
    _ key: RegisterKey, _ value: String, by parent: String = "Kitchen laptop", notInForce: String? = nil
  ) -> RuleListing {
    RuleListing(
      key: key, value: value, name: RuleText.name(key), words: RuleText.value(key, value),
      setBy: DeviceName(sanitising: parent), setAt: now - 3_600_000, notInForce: notInForce)
  }

  static let rules: ChildRules = {
    func rule(_ key: RegisterKey, _ value: String, _ reason: String? = nil) -> RuleListing {
      SampleValues.rule(key, value, notInForce: reason)
    }
    var school = SampleValues.rule("schedule/school", "mon-fri 08:00-13:00", by: "Tom's laptop")
    school.missing = [childName]
    var zone = SampleValues.rule("family/zone", "Europe/Berlin")
    zone.isFamilys = true
    return ChildRules(
      child: child,
      rules: [
        rule("app/org.gnome.Chess/blocked", "yes"), rule("app/org.gnome.Chess/category", "reward"),
        rule("app/org.gnome.Chess/rate", "2500"), rule("limits/daily", "90"), rule("limits/daily/sat", "180"),
        rule("limits/daily/sun", "180"), rule("lock", "off"), rule("schedule/bedtime", "20:00-07:00"),
        school,
        rule(
          "schedule/siesta", "yes",
          "This version does not know the rule schedule/siesta: update Latchkey on this machine."),
      ], family: [zone])
  }()

  static let installed = InstalledListing(
    deviceID: childID, deviceName: childName, children: [child.childID], toldAt: now - 3_600_000, number: 3, more: 2,
    apps: [
      .init(
        appID: app("org.gnome.Chess"), displayName: "Chess", version: "1:43.1-1", suggestion: .reward,
        settings: [.init(childName: child.name, category: .reward, isBlocked: true, limit: "90")]),
      .init(
        appID: app("org.kde.gcompris"), displayName: "GCompris", version: "3.1-2", suggestion: .learning,
        settings: [.init(childName: child.name, category: .learning, isByDefault: true)]),
      .init(
        appID: app("org.supertuxkart.SuperTuxKart"), displayName: "SuperTuxKart", version: "", suggestion: .reward,
        settings: [.init(childName: child.name)]),
      .init(
        appID: app("supertux2"), displayName: "SuperTux 2", version: "0.6.3-2", suggestion: .reward,
        settings: [.init(childName: child.name, category: .reward, isByDefault: true, isAlwaysAllowed: true)]),
      .init(
        appID: app("vim"), displayName: "=Vim, the editor", version: "2:9.0.1378-2", suggestion: nil,
        settings: [.init(childName: child.name)]),
    ])

  static let refused = [
    RefusedListing(
      deviceID: childID, deviceName: childName, childID: child.childID, childName: child.name,
      appID: app("org.kde.kpat"), isNew: false, isRefusedNow: true, displayName: "Patience", refusedAt: now - 60_000),
    RefusedListing(
      deviceID: childID, deviceName: childName, childID: child.childID, childName: child.name, appID: app("kart"),
      isNew: true, isRefusedNow: true, displayName: "kart", matcher: "path /home/emma/Downloads/kart",
      refusedAt: now - 3_600_000),
    RefusedListing(
      deviceID: childID, deviceName: childName, childID: child.childID, childName: child.name, appID: app("a-b"),
      isNew: true, isRefusedNow: true, displayName: "a$b", matcher: "path /home/emma/a$b", refusedAt: now - 7_200_000),
  ]

  static let accounts = [
    AccountListing(
      deviceID: childID, deviceName: childName,
      account: Account(uid: 1_000, name: "emma", fullName: "Emma Example", statedChild: "Emma"),
      owner: .child, childNames: [DeviceName(sanitising: "Emma")]),
    AccountListing(
      deviceID: childID, deviceName: childName, account: Account(uid: 1_001, name: "mum", fullName: ""),
      owner: .nobody),
    AccountListing(
      deviceID: childID, deviceName: childName, account: Account(uid: 1_002, name: "guest", fullName: "Guest"),
      owner: .open),
  ]

  static let conditions = [
    ConditionListing(
      deviceID: childID, deviceName: childName, isOwn: false, heardAt: 1_795_000_000_000,
      condition: MachineCondition("privileged-group", account: 1_000, detail: "docker"), accountName: "emma"),
    ConditionListing(
      deviceID: childID, deviceName: childName, isOwn: false, condition: MachineCondition("no-process-events")),
  ]

  static let nearby = NearbyMachines(
    members: [
      .init(
        deviceID: childID, name: childName, role: .child, addresses: ["192.168.1.5:41234", "[fe80::1%2]:41234"],
        isConnected: true)
    ], invitations: ["7K", "QX"], others: 2, discovery: "embedded")

  static let peer = PeerStatus(
    device: registered, isConnected: true, address: "192.168.1.5:41234", sync: .synced(at: now - 65_000),
    queues: [
      QueueStatus(
        streamClass: .command, waitingItems: 3, waitingBytes: 300, inFlightItems: 1, storedThrough: 17,
        oldestAgeMilliseconds: 4_000, lastStoredAt: now - 90_000,
        undelivered: [
          QueueTally(fate: .cancelled, items: 4, lastAt: now - 120_000),
          QueueTally(fate: .expired, items: 1, lastAt: now - 3_600_000),
        ])
    ], lastError: nil,
    addresses: [
      DeviceAddress(
        address: "192.168.1.5:41234", source: .mdns, isOfThisNetwork: true, isInUse: true, lastSuccessAt: now - 65_000),
      DeviceAddress(
        address: "10.0.0.7:41234", source: .code, isOfThisNetwork: false, lastSuccessAt: now - 3 * 86_400_000,
        lastFailureAt: now - 600_000, failure: "10.0.0.7:41234 cannot be reached."),
      DeviceAddress(address: "nas.local:4000", source: .given),
    ])

  static let status = NodeStatus(
    deviceID: parentID, name: DeviceName(sanitising: "Mum's laptop"), role: .parent, version: "0.1.0", processID: 4_242,
    listening: ["0.0.0.0:41234"], discovery: "embedded", sync: .syncing(done: 3, total: 9), peers: [peer],
    former: [
      FormerPeer(
        deviceID: parentID, name: DeviceName(sanitising: "Old tablet"),
        queues: [
          QueueStatus(
            streamClass: .command, waitingItems: 0, waitingBytes: 0, inFlightItems: 0, storedThrough: 0,
            oldestAgeMilliseconds: nil,
            undelivered: [QueueTally(fate: .cancelled, items: 2, lastAt: now - 7_200_000)])
        ])
    ],
    messages: [ReceivedMessage(commandID: commandID, author: parentID, text: "Dinner is ready", at: now - 60_000)],
    warnings: ["The disk is nearly full: make room."], residentBytes: 20 << 20, running: [running])

  static let pairing = PairingProgress(
    pairingID: "p1", phase: .waiting, change: 1, part: .inviter, code: "LK1QY-QQ9FG-95ZS6",
    typedCode: "N5-7Q2MN-43", prefix: "N5", expiresInMilliseconds: 300_000,
    failuresLeft: 5)

  static let command = ConfigurationCommand(
    commandID: commandID, target: childID, author: parentID, payload: CommandPayload(Edit([blocked])),
    createdAt: now - 9_000,
    status: .executed, statusAt: now - 1_000, stateInForce: StateInForce(RegistersInForce([blocked], .recorded)))

  /// A register of Emma's that blocks a game.
  static let blocked = Register(
    .child(child.childID), "app/org.gnome.Chess/blocked", "yes",
    modified: HybridTimestamp(wall: now - 9_000, counter: 1, author: parentID))

  static let queueEntry = QueueEntry(
    device: childID, streamClass: .command, number: 18, bytes: 112, acceptedAt: now - 4_000, ageMilliseconds: 4_000,
    isInFlight: false,
    expiresInMilliseconds: 7_200_000,
    content: .command(
      ConfigurationCommand(
        commandID: commandID, target: childID, author: parentID, payload: .message("Dinner is ready"),
        createdAt: now - 4_000, expiresAfter: 7_204_000, statusAt: now - 4_000)))

  static let listing = AppListing(
    appID: app("org.gnome.Chess"), displayName: "Chess", category: .reward, ownMilliPointsPerMinute: 2_500,
    milliPointsPerMinute: 2_500, isBlocked: true, limit: "45",
    matchers: [AppMatcher(kind: .path, value: "/usr/games/gnome-chess")],
    rules: [
      RuleListing(
        key: "app/org.gnome.Chess/blocked", value: "yes", name: RuleText.name("app/org.gnome.Chess/blocked"),
        words: "yes",
        setBy: DeviceName(sanitising: "Kitchen laptop"), setAt: now - 3_600_000)
    ])

  private static let familySet = {
    var rules = RuleSet()
    for category in [AppCategory.learning, .reward] { rules.categories[category, default: .init()].rate = 1_500 }
    rules.categories[.reward]?.limit = DayLimits(everyDay: 60)
    (rules.points.minutesPerPoint, rules.points.minimumSession) = (2, 3)
    (rules.dayStartHour, rules.zone) = (4, "Europe/Berlin")
    return rules
  }()

  static let settings = FamilyRules(
    settings: FamilySettings(familySet),
    rules: [
      RuleListing(
        key: "family/zone", value: "Europe/Berlin", name: RuleText.name("family/zone"), words: "Europe/Berlin",
        setBy: DeviceName(sanitising: "Mum's laptop"), setAt: now - 3_600_000, isFamilys: true)
    ], untold: [childName])

  static let record = UsageRecord(
    recordID: recordID, device: childID, appID: app("org.kde.gcompris"), displayName: "GCompris",
    sessionStart: now - 3_900_000, sessionEnd: now - 300_000, zone: "Europe/Berlin", activeMilliseconds: 3_600_000,
    category: .learning, milliPointsPerMinute: 125, earnedMilliPoints: 7_500, evidence: .tracked, account: 1_000,
    child: child.childID)

  static let session = UsagePage.Session(
    record: record, deviceName: childName, clippedStart: now - 3_900_000, clippedEnd: now - 300_000,
    clippedActiveMilliseconds: 3_600_000, childName: child.name, milliPoints: 7_500, charge: .written)

  static let running = RunningNow(
    recordID: recordID, childName: child.name, deviceID: childID, deviceName: childName,
    appID: app("org.gnome.Chess"), displayName: "Chess", category: .reward, since: now - 1_080_000,
    activeMilliseconds: 1_080_000, isStale: false)

  static let notice = ChildNotice(
    number: 7, key: "app/org.gnome.Chess", kind: .warned, sentence: "Chess closes in 5 minutes: bedtime.",
    at: BootInstant(milliseconds: 90_000))

  static let today = ChildToday(
    childID: child.childID, name: child.name, day: "2026-11-21", zone: "Europe/Berlin", at: now,
    usedMilliseconds: 4_320_000, weekMilliseconds: 20_000_000, limitMilliseconds: 7_200_000,
    categories: [
      CategoryToday(category: .learning, usedMilliseconds: 3_600_000),
      CategoryToday(category: .reward, usedMilliseconds: 1_080_000),
    ],
    apps: [
      AppToday(
        appID: app("org.kde.gcompris"), displayName: "GCompris", category: .learning, usedMilliseconds: 3_600_000,
        verdict: VerdictToday(isAllowed: true)),
      AppToday(
        appID: app("org.gnome.Chess"), displayName: "Chess", category: .reward, usedMilliseconds: 1_080_000,
        verdict: VerdictToday(
          isAllowed: true, rule: "dailyLimit", reason: "2 h of screen time a day", until: now + 2_880_000,
          leftMilliseconds: 2_880_000)),
      AppToday(
        appID: app("org.example.Chat"), displayName: "Chat", category: .neutral, usedMilliseconds: 0,
        verdict: VerdictToday(isAllowed: false, rule: "blocked", reason: "Chat is blocked")),
    ], running: [running],
    screen: VerdictToday(
      isAllowed: true, rule: "dailyLimit", reason: "2 h of screen time a day", until: now + 2_880_000,
      leftMilliseconds: 2_880_000),
    notices: ["Chess: 5 min left (2 h of screen time a day)."], enforcement: .recorded, milliPoints: 12_500)

  static let explanation = ChildExplanation(
    name: child.name, app: today.apps[1], at: now, zone: "Europe/Berlin",
    rules: [
      .init(rule: "bedtime", words: "bedtime", isOpen: true, leftMilliseconds: 10_800_000),
      .init(rule: "dailyLimit", words: "2 h of screen time a day", isOpen: true, leftMilliseconds: 2_880_000),
      .init(rule: "weeklyLimit", words: "14 h of screen time a week", isOpen: true, leftMilliseconds: nil),
    ],
    opening: .init(
      day: "2026-11-21", today: "2026-11-21", dayStartHour: 0, missingMinutes: 1, enabledCategory: nil,
      hasOwnBreaks: true, hasFamilysBreaks: false), enforcement: .recorded)

  static let useReport = UseReport(
    childID: child.childID, name: child.name, period: "week", from: "2026-11-16", to: "2026-11-22",
    periods: [
      .init(
        start: "2026-11-16", milliseconds: 4_320_000,
        categories: [
          .init(category: .learning, usedMilliseconds: 3_600_000),
          .init(category: .reward, usedMilliseconds: 1_080_000),
        ],
        rows: [
          .init(
            appID: app("org.kde.gcompris"), displayName: "GCompris", category: .learning, milliseconds: 3_600_000,
            earnedMilliPoints: 7_500, sessions: 3),
          .init(
            appID: app("org.gnome.Chess"), displayName: "Chess", category: .reward, milliseconds: 1_080_000,
            earnedMilliPoints: 0, sessions: 1),
        ])
    ])

  static let started = UsageStarted(recordID: recordID, isBlocked: true, enforcement: .recorded)
  static let unpaired = UnpairResult(device: registered, wasTold: true, cancelledCommands: 2)
}

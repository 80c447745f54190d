import LatchkeyModel
import Testing

/// Which application a person means.
@Suite struct AppSearchTests {
  private static let candidates: [AppSearch.Candidate] = [
    ("org.kde.krita", "Krita", true), ("supertuxkart", "SuperTuxKart", true), ("supertux2", "SuperTux 2", true),
    ("org.gnome.Chess", "Chess", false), ("xboard", "Chess", false), ("org.kde.knights", "Knights", false),
    ("krita", "Sketch", true),
  ].compactMap { id, name, isInstalled in
    AppID(id).map { AppSearch.Candidate(appID: $0, name: name, isInstalled: isInstalled) }
  }

  @Test(arguments: [
    ("org.kde.krita", "org.kde.krita"), ("SuperTuxKart", "supertuxkart"), ("supertux 2", "supertux2"),
    ("supertuxk", "supertuxkart"), ("ORG.KDE.KR", "org.kde.krita"), ("org.gnome.chess", "org.gnome.Chess"),
    ("skE", "krita"), ("Krita", "org.kde.krita"), ("krita", "krita"),
    ("org.kde.kni", nil), ("nosuch", nil), ("", nil),
  ])
  func oneIsMeantOrNone(text: String, id: String?) throws {
    #expect(try AppSearch.find(text, among: Self.candidates)?.text == id)
  }

  @Test func aBeginningMayBeRefused() throws {
    #expect(try AppSearch.find("supertuxk", among: Self.candidates, isWhole: true) == nil)
    #expect(try AppSearch.find("supertuxkart", among: Self.candidates, isWhole: true)?.text == "supertuxkart")
  }

  @Test(arguments: [("supertu", "supertux2, supertuxkart"), ("Chess", "org.gnome.Chess, xboard")])
  func severalAreNamed(text: String, ids: String) {
    let fault = #expect(throws: AppSearch.Ambiguity.self) { try AppSearch.find(text, among: Self.candidates) }
    #expect(fault?.description.hasSuffix("give the ID of one of \(ids).") == true, "\(fault as Any)")
  }

  @Test func whatWasMeantIsAsked() {
    #expect(
      AppSearch.question(for: "supertuxcart", among: Self.candidates) == "Did you mean supertuxkart?")
    #expect(AppSearch.question(for: "qqqqqq", among: Self.candidates).isEmpty)
  }

  @Test(
    "The part of an ID that people read stands for a name that is not known",
    arguments: [
      ("org.supertuxkart.SuperTuxKart", "SuperTuxKart"), ("kart", "kart"), ("zirp-0a1b2c3d", "zirp"),
      ("steam.app.440", "app"), ("gnome-chess", "gnome-chess"), ("foo.desktop", "foo.desktop"),
      ("-0a1b2c3d", "-0a1b2c3d"),
    ])
  func readable(id: String, name: String) throws {
    #expect(try #require(AppID(id)).readable == name)
  }
}

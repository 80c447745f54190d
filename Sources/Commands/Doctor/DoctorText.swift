/// The words of an examination for people.
enum DoctorText {
  /// Returns the complete page: a paragraph for each finding, and a summary line.
  static func render(_ examination: Examination) -> String {
    let paragraphs = examination.findings.map { finding in
      let words = [finding.sentence, finding.next].filter { !$0.isEmpty }.joined(separator: " ")
      let text = FieldsText.render([(word(finding.severity), words)], width: 9)
      switch finding.severity {
      case .fault, .warning: return text.asWarning
      case .unchecked, .information: return text
      }
    }
    return paragraphs.joined() + summary(examination).inWidth + "\n"
  }

  private static func word(_ severity: Severity) -> String {
    switch severity {
    case .fault: "fault"
    case .warning: "warning"
    case .unchecked: "unseen"
    case .information: "note"
    }
  }

  private static func summary(_ examination: Examination) -> String {
    let faults = examination.findings.count { $0.severity == .fault }
    let warnings = examination.findings.count { $0.severity == .warning }
    let unseen = examination.findings.count { $0.severity == .unchecked }
    var parts: [String] = []
    if faults > 0 { parts.append(ShownText.count(faults, "fault")) }
    if warnings > 0 { parts.append(ShownText.count(warnings, "warning")) }
    if unseen > 0 { parts.append("\(unseen) not looked at") }
    return parts.isEmpty ? "Nothing is wrong here." : "In all: \(parts.joined(separator: ", "))."
  }
}

import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyTestSupport
import Testing

/// Tests of what a log-in gate and the agent say to each other: Protocol/13-agent.md §13.
@Suite struct GateMessageTests {
  @Test(
    "Questions and answers of the vectors are written and read as the other implementation does, and nothing else is")
  func vectors() throws {
    let vectors = try AgentVectors.load()
    for vector in vectors.questions {
      let question = GateQuestion(account: vector.account)
      #expect(Hexadecimal.encode(question.bytes) == vector.bytes && question.bytes.count == GateQuestion.size)
      #expect(GateQuestion(bytes: question.bytes) == question)
    }
    for vector in vectors.answers {
      let answer = GateAnswer(isAllowed: vector.isAllowed, reason: vector.reason)
      #expect(Hexadecimal.encode(answer.bytes) == vector.bytes)
      #expect(GateAnswer(bytes: answer.bytes) == answer)
    }
    for text in vectors.noGate {
      let bytes = try #require(Hexadecimal.decode(text))
      #expect(GateQuestion(bytes: bytes) == nil && GateAnswer(bytes: bytes) == nil, "\(text)")
    }
  }
}

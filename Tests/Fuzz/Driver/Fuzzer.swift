import Foundation
import LatchkeyFuzzTargets

/// A program that passes one target to libFuzzer, whose own `main` calls the two functions below.
///
/// `LATCHKEY_FUZZ_TARGET` names the target. It is an environment variable, since the runtime
/// restarts this program with arguments of its own. With `LATCHKEY_FUZZ_SEEDS`, the program writes
/// the target's seeds into that folder and ends.
enum Fuzzer {
  static let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["LATCHKEY_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      say("Set LATCHKEY_FUZZ_TARGET to one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
      exit(64)
    }
    return target
  }()

  static func writeSeeds(to folder: String) -> Never {
    do {
      for (number, seed) in target.seeds.enumerated() {
        try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
      }
    } catch {
      say("The seeds cannot be written: \(error)")
      exit(73)
    }
    exit(0)
  }

  static func run(_ input: [UInt8]) {
    do { try target.run(input) } catch {
      say("\n\(target.name): \(error)")
      abort()
    }
  }

  static func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}

/// Prepares the first execution.
///
/// Values that are computed once are computed here, so that no input is charged with them.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
  if let folder = ProcessInfo.processInfo.environment["LATCHKEY_FUZZ_SEEDS"] { Fuzzer.writeSeeds(to: folder) }
  for seed in Fuzzer.target.seeds { Fuzzer.run(seed) }
  // The runtime keeps its arguments until the process ends.
  let longer = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: Int(count.pointee) + 2)
  longer.initialize(from: arguments.pointee, count: Int(count.pointee))
  longer[Int(count.pointee)] = strdup("-max_len=\(Fuzzer.target.maximumBytes)")
  longer[Int(count.pointee) + 1] = nil
  arguments.pointee = longer
  count.pointee += 1
  return 0
}

/// Runs one execution.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Fuzzer.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}

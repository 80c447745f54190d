import Foundation
import GRDB
import Testing

@testable import LatchkeyStore

/// Tests of the use of a disk by the database.
@Suite struct DiskRoomTests {
  @Test(
    "The log and the reserve are as large as the disk permits",
    arguments: [(1 << 20, 64), (4 << 20, 64), (12 << 20, 192), (64 << 20, 1_024), (1 << 30, 4_000), (1 << 40, 4_000)]
      as [(Int64, Int64)])
  func plan(total: Int64, pages: Int64) {
    let plan = DiskPlan(total: total)
    #expect(plan.logPages == pages)
    // The reserve covers a complete log, and a trial is smaller than the reserve.
    #expect(plan.reserve >= plan.log + plan.log / 4 && plan.trial < plan.reserve && plan.trial > 4_096)
    #expect(DiskPlan(total: nil) == DiskPlan(total: 1 << 40))
  }

  @Test("A reserve takes its space, releases it, and is recognized when it is opened again")
  func reserve() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)").path
    defer { unlink(path) }
    let file = ReserveFile(path: path, size: 1 << 20)
    #expect(!file.isWhole && file.held == 0)
    #expect(file.take() && file.isWhole && file.held == 1 << 20)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600 && Int(status.st_blocks) * 512 >= 1 << 20)
    #expect(ReserveFile(path: path, size: 1 << 20).isWhole)
    // A reserve of another size is created anew.
    let smaller = ReserveFile(path: path, size: 1 << 19)
    #expect(!smaller.isWhole && smaller.take())
    #expect(stat(path, &status) == 0 && status.st_size == 1 << 19)
    file.giveUp()
    #expect(!file.isWhole && stat(path, &status) == 0 && status.st_blocks == 0)
  }

  @Test("A reserve does not follow a symbolic link or wait for a pipe")
  func reserveIsAFile() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)").path
    defer { unlink(path) }
    try #require(symlink("/nowhere", path) == 0)
    #expect(!ReserveFile(path: path, size: 4_096).take())
    unlink(path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(!ReserveFile(path: path, size: 4_096).take())
  }

  @Test("The system's error numbers for a disk without space or permission are recognized")
  func errorNumbers() {
    #expect(StoreError(errorNumber: ENOSPC) == .diskFull && StoreError(errorNumber: EDQUOT) == .diskFull)
    #expect(StoreError(errorNumber: EROFS) == .readOnly && StoreError(errorNumber: EIO) == nil)
  }
}

import Glibc
import LatchkeyAgentProtocol

/// The places on disk of the programs that orders name by package or path.
///
/// A program that maps one of these files is recognized by the place, whatever path the file has
/// for that program and however many other files it has mapped.
///
/// Spec: Protocol/13-agent.md §8.
struct NamedPlaces {
  private static let capacity = 32_768

  private struct Place: Hashable {
    var device: KnownDevices.Device
    var inode: UInt64
  }

  private var images: [Place: ProcessFacts.Image] = [:]

  /// Adds the file at a path, if it can be mapped as code.
  ///
  /// `package` is its package, if orders name it.
  mutating func add(_ path: String, package: String? = nil) {
    var status = stat()
    // A link in a package may lead to a file of another package.
    guard package == nil ? stat(path, &status) == 0 : lstat(path, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG, package == nil || status.st_mode & 0o111 != 0 || path.contains(".so")
    else { return }
    let place = Place(device: KnownDevices.Device(UInt64(status.st_dev)), inode: UInt64(status.st_ino))
    guard images[place] != nil || images.count < Self.capacity else { return }
    var image = images[place] ?? ProcessFacts.Image(path: path)
    if let package { image.packages.insert(package) } else { image.copiedPaths.insert(path) }
    images[place] = image
  }

  /// Returns the image at a place, with the device as `/proc/PID/maps` names it; `nil` if orders
  /// name no program there.
  func image(device: some StringProtocol, inode: UInt64) -> ProcessFacts.Image? {
    guard !images.isEmpty, let device = KnownDevices.Device(device, radix: 16) else { return nil }
    return images[Place(device: device, inode: inode)]
  }
}

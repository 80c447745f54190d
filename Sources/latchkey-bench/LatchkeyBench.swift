@main struct LatchkeyBench { static func main() {} }

import Glibc

// What libFuzzer's `main` calls. One program for all targets: FUZZ_TARGET names the one.

/// The work of one target on the bytes. It traps at a fault.
typealias Try = @Sendable (UnsafeRawBufferPointer) -> Void

private let chosen: Try = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        print("FUZZ_TARGET is one of: \(targets.keys.sorted().joined(separator: " "))")
        exit(64)
    }
    return target
}()

/// Called once, before anything is tried.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer
) -> CInt {
    if let directory = getenv("FUZZ_SEEDS") {
        Seeds.write(to: String(cString: directory))
        exit(0)
    }
    if getenv("FUZZ_TARGET") == nil {
        print(targets.keys.sorted().joined(separator: " "))
        exit(0)
    }
    return 0
}

/// Called with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

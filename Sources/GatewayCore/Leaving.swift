/// The order that decides which connection makes room for another one when there are as many as may be: the least of
/// them. WebSockets never do.
public struct Leaving: Comparable, Sendable {
    private let hasDevice: Bool
    private let sinceMs: Int

    /// Whether its latest request came with a device's cookie, and since when it waits, asks, or is answered.
    public init(hasDevice: Bool, sinceMs: Int) {
        self.hasDevice = hasDevice
        self.sinceMs = sinceMs
    }

    /// Strangers before devices, and who does the same for longest before others.
    public static func < (a: Leaving, b: Leaving) -> Bool {
        (a.hasDevice ? 1 : 0, a.sinceMs) < (b.hasDevice ? 1 : 0, b.sinceMs)
    }
}

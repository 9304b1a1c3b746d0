/// Snapshots that are on their way to those who asked. A snapshot is held once, however many read it, and as long as one
/// of them has not taken all of it.
public struct UnsentSnapshots: Sendable {
    /// Bytes of different snapshots that one device may keep. A single one may be larger.
    public static let mostOfDevice = 32 << 20
    /// Bytes of different snapshots that all devices together may keep. A single one may be larger.
    public static let most = 128 << 20

    private struct Reading: Sendable {
        var device: String
        var snapshot: Int
        var bytes: Int
    }

    private var readings: [PageID: Reading] = [:]

    /// Nobody reads any.
    public init() {}

    /// Somebody begins to read a snapshot. False: too much of what was asked for before is not taken yet.
    public mutating func begin(
        _ page: PageID, of device: Device, snapshot: Int, bytes: Int
    ) -> Bool {
        let own = readings.values.filter { $0.device == device.name }
        guard Self.fits(snapshot, bytes, beside: own, Self.mostOfDevice),
            Self.fits(snapshot, bytes, beside: readings.values, Self.most)
        else { return false }
        readings[page] = Reading(device: device.name, snapshot: snapshot, bytes: bytes)
        return true
    }

    /// All of it was taken, or will never be.
    public mutating func end(_ page: PageID) { readings[page] = nil }

    private static func fits(
        _ snapshot: Int, _ bytes: Int, beside readings: some Collection<Reading>, _ most: Int
    ) -> Bool {
        let held = Dictionary(readings.map { ($0.snapshot, $0.bytes) }) { first, _ in first }
        if held.isEmpty || held[snapshot] != nil { return true }
        return held.values.reduce(bytes, +) <= most
    }
}

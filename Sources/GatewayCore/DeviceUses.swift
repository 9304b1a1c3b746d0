/// When a device was used, and from where.
public struct DeviceUse: Hashable, Sendable {
    /// Seconds since 1970.
    public var at: Int
    /// The address, as far as it is one; empty: it is not known.
    public var address: String

    /// A use. A proxy may pass on as an address whatever it was told.
    public init(at: Int, address: String) {
        self.at = at
        let isAddress =
            address.utf8.count <= 64
            && address.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A: true
                default: [UInt8](".%-_[]".utf8).contains(byte)
                }
            }
        self.address = isAddress ? address : ""
    }
}

extension Register {
    /// A device that is not used for so long is let in no more. Each use begins it anew.
    public static let unusedSeconds = 365 * 86_400
    /// So long apart are two uses of a device that are noted.
    static let noteSeconds = 86_400

    /// The latest use of a device that was noted. Pairing is one.
    public func use(of device: Device) -> DeviceUse {
        uses[device.prefix] ?? DeviceUse(at: device.pairedAt, address: "")
    }

    /// Until when it is let in, if it is not used before.
    public func endsAt(_ device: Device) -> Int { use(of: device).at + Self.unusedSeconds }

    /// Notes uses, by the prefixes of devices.
    public mutating func note(_ latest: [String: DeviceUse]) {
        for device in devices {
            if let use = latest[device.prefix] { uses[device.prefix] = use }
        }
    }
}

/// The latest use of each device, of which those are noted in the register that say something new: so the file is not
/// written for each use.
public struct DeviceUses: Sendable {
    private var latest: [String: DeviceUse] = [:]

    /// Nothing was used.
    public init() {}

    /// A device is used, from this address; nil: from the one of before.
    public mutating func saw(_ device: Device, from address: String? = nil, now: Int) {
        latest[device.prefix] = DeviceUse(
            at: now, address: address ?? latest[device.prefix]?.address ?? "")
    }

    /// The latest use of a device.
    public func use(of device: Device, in register: Register) -> DeviceUse {
        latest[device.prefix] ?? register.use(of: device)
    }

    /// The uses that are to be noted by now. Devices that are gone are forgotten.
    public mutating func due(in register: Register) -> [String: DeviceUse] {
        var (known, due): ([String: DeviceUse], [String: DeviceUse]) = ([:], [:])
        for device in register.devices {
            guard let use = latest[device.prefix] else { continue }
            known[device.prefix] = use
            // A clock that was wrong may have noted what is yet to come.
            let since = use.at - register.use(of: device).at
            if since < 0 || since >= Register.noteSeconds { due[device.prefix] = use }
        }
        latest = known
        return due
    }
}

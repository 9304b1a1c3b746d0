public import TableModel
public import TableSync
import TableWire

/// A browser or another program that was let in.
public struct Device: Hashable, Sendable {
    /// Its name. No two devices have the same name.
    public var name: String
    /// Its role.
    public var role: Role
    /// With which tables.
    public var tables: [TablePattern]
    /// How the client ids of its pages begin.
    public var prefix: String
    /// Seconds since 1970.
    public var pairedAt: Int
    /// The hash of the secret in its cookie, or of its token, in hexadecimal digits.
    public var tokenHash: String
    /// Whether it sends a token. A browser sends a cookie.
    public var isToken = false

    /// Whether it may know of this table.
    public func mayKnow(_ table: String) -> Bool { tables.contains { $0.matches(table) } }

    /// Whether no table is hidden from it.
    public var knowsAllTables: Bool { tables.contains(.all) }

    /// The description of the device for the daemon: it is the second that looks at the role and the tables. Throws for what
    /// the daemon would refuse.
    public func behalf() throws(Rejection) -> Behalf {
        try Behalf(
            name: name, role: role.rawValue,
            tables: knowsAllTables ? nil : tables.map(\.description))
    }

    /// The frame before each of its requests; nil: the daemon would refuse it.
    var behalfFrame: [UInt8]? { (try? behalf()).map { Encode.behalf($0, form: .json) } }
}

/// An invitation: whoever has its code becomes the device, once, as long as it holds.
public struct Invitation: Hashable, Sendable {
    /// The name of the device to be.
    public var name: String
    /// The role of the device to be.
    public var role: Role
    /// The tables of the device to be.
    public var tables: [TablePattern]
    /// Seconds since 1970.
    public var endsAt: Int
    /// The hash of the code, in hexadecimal digits.
    public var codeHash: String

    /// An invitation with these values.
    public init(name: String, role: Role, tables: [TablePattern], endsAt: Int, codeHash: String) {
        self.name = name
        self.role = role
        self.tables = tables
        self.endsAt = endsAt
        self.codeHash = codeHash
    }
}

/// Why the register does not change. Programs are told these words.
public enum DeviceRefusal: String, Error, Sendable {
    /// The code is unknown, used, or too old: nobody is told which.
    case badCode
    /// There is a device of that name.
    case nameTaken
    /// There is no device of that name.
    case noSuchDevice
    /// The daemon would refuse a device of that name.
    case badName
    /// No more devices, or no more invitations.
    case tooMany
}

/// All devices and invitations: a value, which the program reads from a file and writes back.
public struct Register: Equatable, Sendable {
    /// How long an invitation holds.
    public static let invitationSeconds = 600
    /// More devices than a kitchen has.
    public static let mostDevices = 1_000
    /// Invitations that may be open at once.
    public static let mostInvitations = 100

    /// In the order in which they were let in.
    public private(set) var devices: [Device] = []
    /// Where in `devices` the one whose secret has this hash stands.
    private var places: [String: Int] = [:]
    /// The latest use of each device that was noted, by its prefix.
    var uses: [String: DeviceUse] = [:]
    /// In the order in which they were made.
    public private(set) var invitations: [Invitation] = []

    /// The times that a file may have: to reckon with them never overflows.
    private static let times = 0...1 << 40

    /// Nobody.
    public init() {}

    /// The device whose cookie or token has the secret with this hash, unless it was not used for too long. The time
    /// that it takes may tell how a hash begins. That leads nobody to a random secret of so many bits.
    public func device(tokenHash: String, isToken: Bool = false, now: Int) -> Device? {
        guard let place = places[tokenHash] else { return nil }
        let device = devices[place]
        return device.isToken == isToken && now < endsAt(device) ? device : nil
    }

    private mutating func append(_ device: Device) {
        if places[device.tokenHash] == nil { places[device.tokenHash] = devices.count }
        devices.append(device)
    }

    /// Takes an invitation in. A newer one of the same name takes the place of the older.
    public mutating func invite(_ invitation: Invitation, now: Int) throws(DeviceRefusal) {
        guard !isTaken(invitation.name, now: now) else { throw .nameTaken }
        invitations.removeAll { $0.name == invitation.name || $0.endsAt <= now }
        guard invitations.count < Self.mostInvitations, devices.count < Self.mostDevices else {
            throw .tooMany
        }
        invitations.append(invitation)
    }

    /// Whether a device has this name. One that was not used for too long gives way.
    private func isTaken(_ name: String, now: Int) -> Bool {
        devices.contains { $0.name == name && now < endsAt($0) }
    }

    /// Whether somebody is invited by the code with this hash.
    public func isInvited(codeHash: String, now: Int) -> Bool {
        invitations.contains { $0.codeHash == codeHash && now < $0.endsAt }
    }

    /// Exchanges a code for a device. The code is used up.
    public mutating func redeem(
        codeHash: String, tokenHash: String, isToken: Bool = false, prefix: String, now: Int
    ) throws(DeviceRefusal) -> Device {
        invitations.removeAll { $0.endsAt <= now }
        guard let index = invitations.firstIndex(where: { $0.codeHash == codeHash }) else {
            throw .badCode
        }
        let invitation = invitations.remove(at: index)
        guard !isTaken(invitation.name, now: now) else { throw .badCode }
        keep { $0.name != invitation.name }
        let device = Device(
            name: invitation.name, role: invitation.role, tables: invitation.tables,
            prefix: prefix, pairedAt: now, tokenHash: tokenHash, isToken: isToken)
        append(device)
        return device
    }

    /// Gives a device another name. Its cookie and its client ids stay.
    public mutating func rename(_ name: String, to other: String) throws(DeviceRefusal) {
        guard let index = devices.firstIndex(where: { $0.name == name }) else {
            throw .noSuchDevice
        }
        let isTaken =
            devices.contains { $0.name == other } || invitations.contains { $0.name == other }
        guard !isTaken else { throw .nameTaken }
        var device = devices[index]
        device.name = other
        guard device.behalfFrame != nil else { throw .badName }
        devices[index] = device
    }

    /// Lets a device go, and an invitation of its name.
    public mutating func revoke(_ name: String) throws(DeviceRefusal) {
        let before = devices.count + invitations.count
        keep { $0.name != name }
        invitations.removeAll { $0.name == name }
        guard devices.count + invitations.count < before else { throw .noSuchDevice }
    }

    private mutating func keep(_ isKept: (Device) -> Bool) {
        let left = devices.filter(isKept)
        (devices, places) = ([], [:])
        for device in left { append(device) }
        let prefixes = Set(left.map(\.prefix))
        uses = uses.filter { prefixes.contains($0.key) }
    }
}

extension Register {
    private static let heading = "trestle-devices 1"

    /// The register as the text of its file: one line each, with tabs between.
    public var text: String {
        var lines = [Self.heading]
        for one in devices {
            let form = one.isToken ? "token" : "device"
            let words = [form, one.name, one.role.rawValue, one.prefix, "\(one.pairedAt)"]
            lines.append((words + [one.tokenHash] + one.tables.map(\.description)).tabbed)
            if let use = uses[one.prefix] {
                lines.append(["used", one.prefix, "\(use.at)", use.address].tabbed)
            }
        }
        for one in invitations {
            let words = ["code", one.name, one.role.rawValue, "", "\(one.endsAt)"]
            lines.append((words + [one.codeHash] + one.tables.map(\.description)).tabbed)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads the text of a file. Throws the number of the line that is none.
    public init(text: String) throws(MalformedRegister) {
        self.init()
        for (index, line) in text.split(separator: "\n").enumerated() {
            if index == 0 {
                guard line == Self.heading else { throw MalformedRegister(line: 1) }
                continue
            }
            let words = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            if words[0] == "used" {
                guard words.count == 4, let at = Int(words[2]), Self.times ~= at else {
                    throw MalformedRegister(line: index + 1)
                }
                uses[words[1]] = DeviceUse(at: at, address: words[3])
                continue
            }
            guard words.count >= 7, let role = Role(rawValue: words[2]), Text.isName(words[1]),
                let seconds = Int(words[4]), Self.times ~= seconds, words[5].utf8.count == 64
            else { throw MalformedRegister(line: index + 1) }
            let tables = words[6...].compactMap { TablePattern($0) }
            guard tables.count == words.count - 6 else { throw MalformedRegister(line: index + 1) }
            switch words[0] {
            case "device", "token":
                let device = Device(
                    name: words[1], role: role, tables: tables, prefix: words[3],
                    pairedAt: seconds, tokenHash: words[5], isToken: words[0] == "token")
                guard device.behalfFrame != nil else { throw MalformedRegister(line: index + 1) }
                append(device)
            case "code":
                invitations.append(
                    Invitation(
                        name: words[1], role: role, tables: tables, endsAt: seconds,
                        codeHash: words[5]))
            default: throw MalformedRegister(line: index + 1)
            }
        }
    }
}

/// The register's file cannot be read.
public struct MalformedRegister: Error, Equatable, Sendable {
    /// The number of the line, from 1.
    public var line: Int
}

extension [String] {
    fileprivate var tabbed: String { joined(separator: "\t") }
}

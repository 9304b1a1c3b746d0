import ArgumentParser
import GatewayCore

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show which browsers and programs were let in.",
        discussion: """
            USED is when and from where a device was last used. It is noted once a day. A device that is \
            not used for a year is let in no more: ENDS says when that is. TABLES are those that it may \
            see.
            """)

    @Option(name: [.customShort("o"), .customLong("output")], help: "table or json.")
    var output = Output.table

    @OptionGroup var state: StateOptions

    func run() throws {
        let register = try state.store().read()
        let now = Clock.seconds
        let open = register.invitations.filter { $0.endsAt > now }
        if output == .json {
            let devices = register.devices.map { one in
                "{" + DeviceText.members(one, register.use(of: one))
                    + #","prefix":\#(JSONText.quote(one.prefix))}"#
            }
            let invitations = open.map { one in
                #"{"name":\#(JSONText.quote(one.name)),"#
                    + #""role":\#(JSONText.quote(one.role.rawValue)),"#
                    + #""tables":\#(JSONText.list(one.tables.map(\.description))),"#
                    + #""endsAt":\#(one.endsAt)}"#
            }
            print(
                #"{"devices":[\#(devices.joined(separator: ","))],"#
                    + #""invitations":[\#(invitations.joined(separator: ","))]}"#)
            return
        }
        var lines = [["DEVICE", "ROLE", "TABLES", "PAIRED", "USED", "FROM", "ENDS"]]
        for one in register.devices {
            let use = register.use(of: one)
            let days = (register.endsAt(one) - now + 86_399) / 86_400
            lines.append([
                one.name, one.role.rawValue + (one.isToken ? ", token" : ""),
                one.tables.map(\.description).joined(separator: " "), Self.age(one.pairedAt, now),
                Self.age(use.at, now), use.address.isEmpty ? "-" : use.address,
                days > 0 ? "in \(days) days" : "ended",
            ])
        }
        for one in open {
            lines.append([
                one.name, one.role.rawValue, one.tables.map(\.description).joined(separator: " "),
                "invited, \(one.endsAt - now) s left",
            ])
        }
        Self.show(lines)
    }

    private static func age(_ since: Int, _ now: Int) -> String {
        let seconds = max(0, now - since)
        switch seconds {
        case ..<120: return "\(seconds) s ago"
        case ..<7_200: return "\(seconds / 60) min ago"
        case ..<172_800: return "\(seconds / 3_600) h ago"
        default: return "\(seconds / 86_400) days ago"
        }
    }

    private static func show(_ lines: [[String]]) {
        for line in lines {
            let padded = line.enumerated().map { column, text in
                let width = lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
                return text + String(repeating: " ", count: max(0, width - text.count))
            }
            var text = padded.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            print(text)
        }
    }
}

/// A device as programs and the page are told of it.
enum DeviceText {
    /// The members of an object of JSON.
    static func members(_ one: Device, _ use: DeviceUse) -> String {
        let form = one.isToken ? "token" : "cookie"
        return #""name":\#(JSONText.quote(one.name)),"#
            + #""role":\#(JSONText.quote(one.role.rawValue)),"form":"\#(form)","#
            + #""tables":\#(JSONText.list(one.tables.map(\.description))),"#
            + #""pairedAt":\#(one.pairedAt),"usedAt":\#(use.at),"#
            + #""address":\#(JSONText.quote(use.address)),"#
            + #""endsAt":\#(use.at + Register.unusedSeconds)"#
    }
}

struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take a browser or a program off the list. Its pages close within a second.")

    @Argument(help: "The device's name, or the name of an invitation.")
    var name: String

    @OptionGroup var state: StateOptions

    func run() throws {
        try state.store().change { register throws(DeviceRefusal) in try register.revoke(name) }
    }
}

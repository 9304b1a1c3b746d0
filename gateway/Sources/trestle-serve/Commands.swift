import ArgumentParser
import CQREncode
import GatewayCore
import Glibc
import TableModel
import TableSync

/// The options of several commands.
struct StateOptions: ParsableArguments {
    @Option(
        name: .long,
        help: """
            Where the list of devices is kept (default: $STATE_DIRECTORY, else \
            /var/lib/trestle-serve, else trestle-serve in the XDG state directory).
            """)
    var stateDirectory: String?

    /// Others hold the list's lock for milliseconds each. A command can wait for a hundred of them on a
    /// slow machine; the running gateway, which serves others meanwhile, cannot.
    func store(patience: Int = 10_000) throws -> DeviceStore {
        try DeviceStore(directory: Places.stateDirectory(stateDirectory), patience: patience)
    }
}

/// The form in which a command prints.
enum Output: String, CaseIterable, ExpressibleByArgument { case table, json }

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the page and its sockets, until a signal ends it.",
        discussion: """
            SIGHUP reads the files of the page again. SIGTERM and SIGINT end it, and tell the pages.
            """)

    @Option(
        help: ArgumentHelp(
            "Serve here: HOST:PORT, or unix:PATH for a proxy.", valueName: "address"))
    var listen = "127.0.0.1:7580"

    @Option(
        help: ArgumentHelp(
            """
            By which address browsers come, such as https://board.example. May be given several \
            times; the first stands in links.
            """, valueName: "url"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A further name that this server goes by. May be given several times.",
            valueName: "host"))
    var allowHost: [String] = []

    @Option(help: ArgumentHelp("The certificate chain, PEM.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's key, PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(
        name: [.customShort("e"), .long],
        help: ArgumentHelp(
            """
            The daemon: ipc:///path/request.sock or tcp://host:port. Of a service of several daemons all of \
            them, with commas.
            """, valueName: "url"))
    var endpoint: String?

    @Option(help: ArgumentHelp("The files of the page.", valueName: "directory"))
    var web: String?

    @Flag(help: "Show /metrics to everybody, not to this machine only.")
    var metrics = false

    @OptionGroup var state: StateOptions

    func run() throws {
        var settings = Settings(
            listen: try Settings.listen(listen), endpoint: try Places.endpoint(endpoint),
            web: Places.web(web), origins: origin, hosts: allowHost, tls: nil,
            opensMetrics: metrics)
        switch (tlsCert, tlsKey) {
        case (nil, nil): break
        case (let certificate?, let key?): settings.tls = (certificate, key)
        default: throw ValidationError("--tls-cert and --tls-key belong together.")
        }
        try settings.check()
        _ = try settings.addresses(port: 1)
        let store = try state.store(patience: 200)
        try store.check()
        do {
            try Server(
                settings: settings, store: store,
                assets: try Assets(directory: settings.web)
            ).run()
        } catch let error as ValidationError {
            throw error
        } catch let failure as SystemFailure {
            throw failure
        } catch {
            throw SystemFailure(saying: "\(error)", exitCode: 71)
        }
    }
}

struct Pair: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let one more browser in: print a link, and a QR code of it.",
        discussion: """
            The link holds for ten minutes, and for one browser. Whoever opens it is the device. A gateway \
            that was started just now is waited for, five seconds at most.

            Roles: viewer looks; operator also changes rows; handler takes and finishes actions; \
            editor defines kinds and sections; admin may do everything.
            """)

    @Option(help: "What people will call the device.")
    var name: String

    @Option(help: "What it may do: viewer, operator, handler, editor or admin.")
    var role = "operator"

    @Option(
        help: ArgumentHelp(
            "Which tables: a name, or one with * for any text. May be given several times.",
            valueName: "pattern"))
    var table: [String] = []

    @Option(help: "With which board its page opens.")
    var board: String?

    @Option(help: "Which section it shows. May be given several times.")
    var section: [String] = []

    @Flag(help: "It shows nothing but rows.")
    var kiosk = false

    @Option(
        help: ArgumentHelp(
            "By which address the browser comes (default: as the gateway says).", valueName: "url"))
    var origin: String?

    @Option(name: [.customShort("o"), .customLong("output")], help: "table or json.")
    var output = Output.table

    @OptionGroup var state: StateOptions

    /// The purpose of the screen, as its page reads it.
    private var purpose: String {
        var parts = board.map { [("board", $0)] } ?? []
        parts += section.map { ("section", $0) }
        if kiosk { parts.append(("kiosk", "1")) }
        let texts = parts.map { name, value in "\(name)=\(Text.inQuery(value))" }
        return texts.isEmpty ? "" : "?" + texts.joined(separator: "&")
    }

    func run() throws {
        guard let role = Role(rawValue: role) else {
            let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--role takes one of \(known).")
        }
        guard Text.isName(name) else {
            throw ValidationError(
                "--name takes 1 to 64 bytes without control characters or blanks at its ends.")
        }
        let patterns = try (table.isEmpty ? ["*"] : table).map { text in
            guard let pattern = TablePattern(text) else {
                throw ValidationError("--table takes a name, or one with *, not \"\(text)\".")
            }
            return pattern
        }
        do throws(Rejection) {
            _ = try Behalf(
                name: name, role: role.rawValue, tables: patterns.map(\.description))
        } catch {
            throw ValidationError("The daemon would refuse this device: \(error.message)")
        }
        let store = try state.store()
        guard let origin = origin ?? Self.awaited(store) else {
            throw SystemFailure(
                saying: "no gateway has run here yet: start one, or name --origin",
                exitCode: 69)
        }
        let code = Secret.base64(16)
        try store.change { register throws(DeviceRefusal) in
            try register.invite(
                Invitation(
                    name: name, role: role, tables: patterns,
                    endsAt: Clock.seconds + Register.invitationSeconds,
                    codeHash: SHA256.hex(code)),
                now: Clock.seconds)
        }
        show("\(origin)/pair\(purpose)#\(code)", role)
    }

    /// By which address browsers come, as the gateway says. One that was started just now has yet to say it.
    private static func awaited(_ store: DeviceStore) -> String? {
        for _ in 0..<50 {
            if let origin = store.origin { return origin }
            usleep(100_000)
        }
        return nil
    }

    private func show(_ link: String, _ role: Role) {
        if output == .json {
            print(
                #"{"name":\#(JSONText.quote(name)),"role":\#(JSONText.quote(role.rawValue)),"#
                    + #""link":\#(JSONText.quote(link)),"#
                    + #""seconds":\#(Register.invitationSeconds)}"#)
            return
        }
        if isatty(1) == 1 || Places.variable("TRESTLE_QR") != nil { print(QRCode.text(link) ?? "") }
        print(link)
        let minutes = Register.invitationSeconds / 60
        print("Open it on \(name) within \(minutes) minutes. It is for one browser.")
    }
}

/// A QR code for a terminal: two modules in one character, black on white whatever the colours are.
enum QRCode {
    static func text(_ link: String) -> String? {
        guard let code = QRcode_encodeString8bit(link, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard let data = code.pointee.data, width > 0, width < 200 else { return nil }
        // Readers need four light modules around it.
        func isDark(_ x: Int, _ y: Int) -> Bool {
            guard (0..<width).contains(x), (0..<width).contains(y) else { return false }
            return data[y * width + x] & 1 == 1
        }
        var lines: [String] = []
        for y in stride(from: -4, to: width + 4, by: 2) {
            let cells = (-4..<(width + 4)).map { x in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            lines.append("\u{1B}[30;107m" + cells.joined() + "\u{1B}[0m")
        }
        return lines.joined(separator: "\n")
    }
}

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show which browsers were let in.")

    @Option(name: [.customShort("o"), .customLong("output")], help: "table or json.")
    var output = Output.table

    @OptionGroup var state: StateOptions

    func run() throws {
        let register = try state.store().read()
        let now = Clock.seconds
        let open = register.invitations.filter { $0.endsAt > now }
        if output == .json {
            let devices = register.devices.map { one in
                #"{"name":\#(JSONText.quote(one.name)),"#
                    + #""role":\#(JSONText.quote(one.role.rawValue)),"#
                    + #""tables":\#(JSONText.list(one.tables.map(\.description))),"#
                    + #""pairedAt":\#(one.pairedAt),"prefix":\#(JSONText.quote(one.prefix))}"#
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
        var lines = [["DEVICE", "ROLE", "TABLES", "PAIRED"]]
        for one in register.devices {
            lines.append([
                one.name, one.role.rawValue,
                one.tables.map(\.description).joined(separator: " "),
                Self.age(one.pairedAt, now),
            ])
        }
        for one in open {
            lines.append([
                one.name, one.role.rawValue,
                one.tables.map(\.description).joined(separator: " "),
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
                let width = lines.map { $0[column].count }.max() ?? 0
                return text + String(repeating: " ", count: max(0, width - text.count))
            }
            var text = padded.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            print(text)
        }
    }
}

struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take a browser off the list. Its pages close within a second.")

    @Argument(help: "The device's name, or the name of an invitation.")
    var name: String

    @OptionGroup var state: StateOptions

    func run() throws {
        try state.store().change { register throws(DeviceRefusal) in
            try register.revoke(name)
        }
    }
}

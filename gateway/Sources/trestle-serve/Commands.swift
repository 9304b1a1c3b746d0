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
            SIGHUP reads the files of the page and the certificate again. SIGTERM and SIGINT end it, \
            and tell the pages. A daemon on another machine is spoken to with the keys of `trestle \
            keygen` and `trestle trust`, which are in the XDG directory of this user.
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

    @Option(
        help: ArgumentHelp(
            """
            The pair of keys for daemons on other machines: what `trestle keygen --name` called it, or a \
            path (default: $TRESTLE_KEY, else client).
            """, valueName: "name"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Show /metrics, /healthz and /readyz here too, unsealed: 127.0.0.1:PORT.",
            valueName: "address"))
    var metricsListen: String?

    @Option(help: ArgumentHelp("The files of the page.", valueName: "directory"))
    var web: String?

    @Flag(help: "Show /metrics to everybody, not to this machine only.")
    var metrics = false

    @OptionGroup var state: StateOptions

    func run() throws {
        let endpoint = try Places.endpoint(endpoint)
        var settings = Settings(
            listen: try Settings.listen(listen), figures: try metricsListen.map(Settings.listen),
            endpoint: endpoint, keys: try Places.keys(for: endpoint, pair: key),
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
                settings: settings, store: store, assets: try Assets(directory: settings.web)
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
            that was started just now is waited for, five seconds at most. With --token a program is let \
            in at once: it sends the token that is printed, which is not shown again.

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

    @Flag(help: "Print a token for a program that is no browser.")
    var token = false

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
            _ = try Behalf(name: name, role: role.rawValue, tables: patterns.map(\.description))
        } catch {
            throw ValidationError("The daemon would refuse this device: \(error.message)")
        }
        let store = try state.store()
        let invitation = Invitation(
            name: name, role: role, tables: patterns,
            endsAt: Clock.seconds + Register.invitationSeconds, codeHash: "")
        if token {
            guard board == nil, section.isEmpty, !kiosk, origin == nil else {
                throw ValidationError(
                    "--board, --section, --kiosk and --origin are for a link, which --token has not."
                )
            }
            return try showToken(store, invitation)
        }
        guard let origin = origin ?? Self.awaited(store) else {
            throw SystemFailure(
                saying: "no gateway has run here yet: start one, or name --origin", exitCode: 69)
        }
        let code = Secret.base64(16)
        try store.change { register throws(DeviceRefusal) in
            var invitation = invitation
            invitation.codeHash = SHA256.hex(code)
            try register.invite(invitation, now: Clock.seconds)
        }
        show("\(origin)/pair\(purpose)#\(code)", role)
    }

    private func showToken(_ store: DeviceStore, _ invitation: Invitation) throws {
        let (token, now) = (Secret.base64(32), Clock.seconds)
        try store.change { register throws(DeviceRefusal) in
            try register.invite(invitation, now: now)
            _ = try register.redeem(
                codeHash: invitation.codeHash, tokenHash: SHA256.hex(token), isToken: true,
                prefix: Secret.prefix, now: now)
        }
        guard output == .json else { return print(token) }
        print(
            #"{"name":\#(JSONText.quote(name)),"role":\#(JSONText.quote(role)),"#
                + #""token":\#(JSONText.quote(token))}"#)
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

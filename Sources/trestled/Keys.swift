import ArgumentParser
import TableDaemon

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say which keys may connect over tcp, and show the daemon's own.",
        discussion: """
            An endpoint with `curve: true` serves the holders of these keys, and nobody else. A running \
            daemon follows a change within a second: connections of a revoked key end.

            The files are in the state directory, in curve/. Without --config and --state-directory that is the \
            one of the installed daemon. As root they are given to the daemon's user.
            """,
        subcommands: [KeysAdd.self, KeysList.self, KeysRevoke.self, KeysShow.self])

    /// The arguments, with a key told from an option, wherever it stands: one key in 85 begins with a dash.
    static func prepared(_ arguments: [String]) -> [String] {
        guard arguments.starts(with: ["keys", "add"]), !arguments.contains("--"),
            let place = arguments.firstIndex(where: { $0.utf8.count == 40 && $0.hasPrefix("-") })
        else { return arguments }
        var rest = arguments
        let key = rest.remove(at: place)
        return rest + ["--", key]
    }
}

/// Which state directory.
struct KeysOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    /// Does something with its keys; what is refused is said.
    func with(_ body: (KeyFiles) throws -> Void) throws {
        try Output.ending {
            try body(KeyFiles(stateDirectory: try options.readMeant().stateDirectory ?? ""))
        }
    }
}

struct KeysAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Let the holder of a key connect.")

    @OptionGroup var keys: KeysOptions
    @Argument(help: "What the key is called: in histories, in the log.")
    var name: String
    @Argument(help: "The public key, as `trestle keygen` prints it, in single quotes.")
    var publicKey: String

    func run() throws {
        try keys.with { try $0.add(name, publicKey) }
    }
}

struct KeysList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the keys that may connect.")

    @OptionGroup var keys: KeysOptions

    func run() throws {
        try keys.with { files in
            let clients = try files.list()
            for client in clients { try Output.line("\(client.name) \(client.key)") }
            if clients.isEmpty {
                Output.complain("trestled: there is no key in \(files.directory)\n")
            }
        }
    }
}

struct KeysRevoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Let the holder of a key connect no more.")

    @OptionGroup var keys: KeysOptions
    @Argument(help: "The name that the key was added by.")
    var name: String

    func run() throws {
        try keys.with { try $0.revoke(name) }
    }
}

struct KeysShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the daemon's public key, which clients pin with `trestle trust`.")

    @OptionGroup var keys: KeysOptions

    func run() throws {
        try keys.with { try Output.line($0.publicKey()) }
    }
}

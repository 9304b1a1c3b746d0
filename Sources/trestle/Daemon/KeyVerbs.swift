import ArgumentParser
import Glibc
import StrictYAML
import TableTransport

struct KeygenVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "keygen", abstract: "Make a pair of keys for daemons on other machines.",
        discussion: """
            The pair is kept in the XDG directory (~/.config/trestle/client.key), for you alone. It \
            prints the public key, which is also the line `public` of that file. Give it to whoever \
            runs the daemon. They let it in by a name:

              trestled keys add anna 'the public key'

            With --name the pair is another one, which TRESTLE_KEY or `key` in client.yaml names.
            """)

    static var forms: [OutputForm] { [.table, .json, .name] }

    @Option(help: "What the pair is called here.") var name = "client"
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let isName = name.utf8.allSatisfy {
            48...57 ~= $0 || 97...122 ~= $0 | 0x20 || $0 == 45 || $0 == 95
        }
        guard isName, 1...64 ~= name.utf8.count else {
            throw Failure(.usage, "--name: expected letters, digits, hyphens and underscores")
        }
        let pair = try CurveKey.makePair()
        try KeyStore.write(
            "public \(pair.publicKey.text)\nsecret \(pair.secret.text)\n", to: "\(name).key",
            replacing: false)
        let key = pair.publicKey.text
        try connection.show(
            Report(
                json: { Draft.mapping([("ok", .flag(true)), ("publicKey", .text(key))]).json },
                ndjson: nil, names: { [key] }, lines: { _ in [TextLine(key)] }))
    }
}

struct TrustVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Remember the key of a daemon on another machine.",
        discussion: """
            A client has to know the daemon's public key before it connects. Without it nothing can be \
            asked, not even for the key. Whoever runs the daemon reads it to you (`trestled keys \
            show`). Use a way on which nobody can replace it, such as the telephone. Without --key it \
            is asked for.

              trestle trust board.example.org:7000 --key 'the public key'
              trestle -e tcp://board.example.org:7000 show orders

            What is remembered is in ~/.config/trestle/servers. Another key for the same address is \
            refused without --replace. --show prints what is remembered.
            """)

    static var forms: [OutputForm] { [.table, .json, .name] }

    @Argument(help: "Where it serves requests: HOST:PORT.") var address: String
    @Option(help: "The daemon's public key, in single quotes.") var key: String?
    @Flag(help: "Replace another key that is remembered.") var replace = false
    @Flag(help: "Print the key that is remembered, and change nothing.") var show = false
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let address = address.hasPrefix("tcp://") ? String(address.dropFirst(6)) : address
        _ = try Endpoint.find(flag: "tcp://\(address)", option: "the address")
        var servers = try KeyStore.servers()
        let known = servers[address]
        if show {
            guard let known else {
                throw Failure(.noSuchThing, code: "noSuchKey", "no key of \(address) is remembered")
            }
            return try tell(known, "remembered", connection)
        }
        guard let new = CurveKey(try given(address)) else {
            throw Failure(.usage, "a public key has 40 characters of Z85")
        }
        if let known, known != new, !replace {
            throw Failure(
                .refused, code: "otherKey",
                "another key of \(address) is remembered: \(known.text). If the daemon has a new "
                    + "one, ask who runs it, then add --replace. Else somebody may stand in between."
            )
        }
        servers[address] = new
        let lines = servers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)\n" }
        try KeyStore.write(lines.joined(), to: "servers", replacing: true)
        try tell(new, "trusted", connection)
    }

    private func tell(_ key: CurveKey, _ what: String, _ connection: Connection) throws {
        let text = key.text
        try connection.show(
            Report(
                json: {
                    Draft.mapping([
                        ("ok", .flag(true)), ("address", .text(address)), ("key", .text(text)),
                    ]).json
                }, ndjson: nil, names: { [text] },
                lines: { _ in [TextLine("\(what): \(text)")] }))
    }

    private func given(_ address: String) throws -> String {
        if let key { return key }
        guard Output.canAsk else {
            throw Failure(.usage, "--key is missing: the key cannot be asked of the daemon")
        }
        Output.complain("The public key of \(address), as `trestled keys show` prints it there:")
        return (readLine() ?? "").filter { $0 != " " }
    }
}

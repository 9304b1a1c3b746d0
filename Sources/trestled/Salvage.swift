import ArgumentParser
import TableDaemon

struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read what is whole in a damaged state directory into a new one.",
        discussion: """
            A daemon refuses to start on a damaged journal. This reads the newest checkpoint that is \
            whole, and every commit behind it up to the first one that is not what was written. It \
            writes them into a new directory, reads that as a start would, and compares the digests of \
            all tables. It says what is damaged, what is missing, and the revision of each table.

            The damaged directory is only read, and nothing is ever written over. No daemon may \
            run on it. Run it as root, and then give the new directory to the daemon's user. It does \
            not copy curve/, where the keys are, if there are any:

              trestled salvage /var/lib/trestle --to /var/lib/trestle-saved
              cp -a /var/lib/trestle/curve /var/lib/trestle-saved/
              chown -R trestle:trestle /var/lib/trestle-saved

            It ends with 0 if something was saved: read what it says is missing. Then move the damaged \
            directory away and the new one into its place, and start the daemon again.
            """)

    @Argument(help: "The damaged state directory; without it that of the installed daemon.")
    var directory: String?

    @Option(help: "The new directory. It must not be there yet.")
    var to: String

    func run() throws {
        try Output.ending {
            let meant = try Configuration.readMeant(
                file: nil, stateDirectory: directory, endpoints: [])
            try Output.line(
                Salvaging.run(from: directory ?? meant.stateDirectory ?? "", to: Self.trimmed(to)))
        }
    }

    static func trimmed(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}

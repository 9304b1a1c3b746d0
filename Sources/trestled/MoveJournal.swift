import ArgumentParser
import TableDaemon

struct MoveJournal: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move-journal",
        abstract: "Move what a state directory holds to etcd, for several daemons, or back.",
        discussion: """
            Tables, their histories, what can be undone, and the answers that are remembered for clients \
            go along: viewers follow on, and clients go on with the numbers that they have. All daemons \
            are stopped meanwhile; while one runs it is refused. --config is the file of the service's \
            daemons, with journal: etcd:. Move a directory to etcd as the user of the daemon:

              runuser -u trestle -- trestled move-journal --config trestled.yaml --from /var/lib/trestle

            The way back makes a directory, so it takes root. Then give it to the user of the daemon:

              trestled move-journal --config trestled.yaml --to /var/lib/trestle-alone
              chown -R trestle:trestle /var/lib/trestle-alone

            Nothing of the source is lost, and nothing is ever written over: etcd must hold nothing below \
            the service's name, and the new directory must not be there. A state directory is opened as \
            at a start, which may tidy its files. Afterwards move the old state directory away: a daemon \
            with a journal on etcd does not start on it. Keys of CURVE stay where they are (copy curve/).
            """)

    @Option(name: .long, help: "The configuration file (YAML) of the service's daemons.")
    var config: String?
    @Option(
        help: ArgumentHelp("Move what is in this state directory to etcd.", valueName: "directory"))
    var from: String?
    @Option(
        help: ArgumentHelp("Move what is on etcd to this new directory.", valueName: "directory"))
    var to: String?

    func validate() throws {
        guard (from == nil) != (to == nil) else {
            throw ValidationError("Say --from DIRECTORY (to etcd) or --to DIRECTORY (from etcd).")
        }
    }

    func run() throws {
        try Output.ending {
            let configuration = try Configuration.read(
                file: config, stateDirectory: from ?? to, endpoints: [])
            let moving = try Moving(configuration)
            if let from { try Output.line(moving.toService(from: Salvage.trimmed(from))) }
            if let to { try Output.line(moving.fromService(to: Salvage.trimmed(to))) }
        }
    }
}

import ArgumentParser
import TableSync
import TableTransport

/// The gateway for browsers: arguments and exit codes.
@main
struct TrestleServe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trestle-serve", abstract: "Show the tables of a trestled in browsers.",
        discussion: """
            A browser has to be let in once: `trestle serve pair --name grill` prints a link for it.

            Exit codes: 0 done; 1 refused; 64 usage; 65 bad data; 66 no such device or files; \
            69 no gateway yet; 71 the system refused; 73 cannot create; 74 input or output failed; \
            75 try again; 77 not permitted; 78 bad certificate.
            """,
        version: Hello.programVersion,
        subcommands: [Run.self, Pair.self, Devices.self, Revoke.self])

    static let _errorPrefix = "trestle-serve: "

    static func main() {
        StandardDescriptors.open()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            Ending(error, inJSON: Ending.isJSON(wantedBy: CommandLine.arguments)).exit()
        }
    }
}

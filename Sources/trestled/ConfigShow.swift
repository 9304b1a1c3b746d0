import ArgumentParser
import TableDaemon

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say which settings hold, and where each comes from.",
        subcommands: [ConfigShow.self])
}

struct ConfigShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print each setting with its value and the file and line that it comes from.",
        discussion: """
            It reads the configuration as a start would, and not a running daemon. Without --config and \
            --state-directory it is that of the installed daemon. With -o json: {"settings":[{"name",\
            "value","from","takesEffect"}]}; takesEffect is reload or restart.
            """)

    @OptionGroup var options: ConfigurationOptions
    @Option(name: .shortAndLong, help: "text or json.")
    var output = Form.text

    func run() throws {
        try Output.ending {
            let settings = try EffectiveSettings(
                file: options.config, stateDirectory: options.stateDirectory,
                endpoints: options.endpoint)
            try Output.line(output == .json ? settings.json : settings.text)
        }
    }
}

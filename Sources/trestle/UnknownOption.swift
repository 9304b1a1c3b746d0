import ArgumentParser
import StrictYAML
import TableModel

/// An option that a verb does not have, most likely a misspelt one. It is said before the faults that follow from it.
enum UnknownOption {
    /// A failure for the first option that the verb does not have; nil: it has all of them.
    static func failure(among options: [String], of verb: any ParsableCommand.Type) -> Failure? {
        guard !options.isEmpty, let known = names(of: verb) else { return nil }
        for option in options {
            let name = option.prefix { $0 != "=" }.drop { $0 == "-" }
            if known.contains(String(name)) { continue }
            let meant = nearest(to: String(name), among: known.filter { $0.count > 1 })
            let hint = meant.map { ". Did you mean '--\($0)'?" } ?? ""
            return Failure("Unknown option '--\(name)'\(hint)", usageOf: verb)
        }
        return nil
    }

    /// The verb's options without dashes; nil if the library does not say them.
    private static func names(of verb: any ParsableCommand.Type) -> [String]? {
        do {
            _ = try verb.parseAsRoot(["--experimental-dump-help"])
        } catch {
            let text = verb.fullMessage(for: error)
            let help = try? Value(json: Array(text.utf8)[...], file: "help")
            let arguments = help?["command"]?["arguments"].flatMap { try? $0.list() } ?? []
            let names = arguments.flatMap { $0["names"].flatMap { try? $0.list() } ?? [] }
            let found = names.compactMap { $0["name"].flatMap { try? $0.string() } }
            return found.isEmpty ? nil : found
        }
        return nil
    }
}

extension Value {
    fileprivate subscript(key: String) -> Value? {
        (try? entries())?.first { $0.key == key }?.value
    }
}

extension Failure {
    /// Words that a verb does not understand, with how it is used.
    init(_ message: String, usageOf verb: any ParsableCommand.Type) {
        self.init(.usage, message)
        let name = verb.configuration.commandName ?? ""
        let lines = Trestle.usageString(for: verb).split(separator: "\n")
        usage =
            "Usage: " + lines.map { $0.trimmed }.joined(separator: "\n       ")
            + "\n  See 'trestle \(name) --help' for more information."
    }
}

extension Substring {
    fileprivate var trimmed: Substring { drop { $0 == " " } }
}

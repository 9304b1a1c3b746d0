import ArgumentParser

/// The help for a verb names the forms that this verb prints: the option itself is the same for all verbs.
enum HelpText {
    /// The help with the forms of the verb that the command line asks about; any other text as it is.
    static func ofVerb(_ text: String) -> String {
        let words = Words(Array(CommandLine.arguments.dropFirst()))
        guard let name = words.verb == "help" ? words.helpedVerb : words.verb,
            let verb = Verbs.named(name) as? any Verb.Type
        else { return text }
        let known = list(verb.forms.map(\.rawValue))
        return text.replacing(
            written(list(OutputForm.allCases.map(\.rawValue))), with: written(known))
    }

    private static func list(_ forms: [String]) -> String {
        "How to print the result. (values: \(forms.joined(separator: ", ")); default: table)"
    }

    /// A sentence in the lines that ArgumentParser makes of it, beside the options.
    private static func written(_ sentence: String) -> String {
        var (lines, line) = ([String](), "")
        for word in sentence.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (lines + [line]).joined(separator: "\n" + String(repeating: " ", count: margin))
    }

    private static let margin = 26
    private static let columns = 80 - margin
}

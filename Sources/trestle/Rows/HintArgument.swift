import ArgumentParser
import TableModel

/// How viewers show that a row comes or goes (F2).
struct HintArgument: ExpressibleByArgument {
    let hint: AnimationHint

    init?(argument: String) {
        guard let hint = AnimationHint(rawValue: argument) else { return nil }
        self.hint = hint
    }

    static let allValueStrings = AnimationHint.allCases.map(\.rawValue)

    static func help(_ what: String) -> ArgumentHelp {
        .value("hint", "How viewers show that \(what) (default: automatic).")
    }
}

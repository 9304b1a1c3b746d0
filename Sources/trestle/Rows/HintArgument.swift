public import ArgumentParser
public import TableModel

extension AnimationHint: ExpressibleByArgument {}

extension ArgumentHelp {
    /// How viewers show that a row comes or goes (F2).
    static func hint(that what: String) -> ArgumentHelp {
        .value("hint", "How viewers show that \(what) (default: automatic).")
    }
}

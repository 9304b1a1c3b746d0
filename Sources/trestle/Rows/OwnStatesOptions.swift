public import ArgumentParser
public import TableModel

extension Kind.State: ExpressibleByArgument {
    /// From `collapsed`, `expanded`, or `name=points`.
    public init?(argument: String) {
        switch argument {
        case "collapsed": self = .collapsed
        case "expanded": self = .expanded
        default:
            // A name may have a sign of equality in it, a height has none.
            guard let sign = argument.utf8.lastIndex(of: UInt8(ascii: "=")),
                case .height(let points) = Expansion(
                    String(argument[argument.utf8.index(after: sign)...]))
            else { return nil }
            self = .named(ID(String(argument[..<sign])), heightPoints: points)
        }
    }
}

/// States of a row's own.
struct OwnStatesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A state of the row's own: collapsed, expanded, or a name with its height; may be given \
            several times, in the order of toggling.
            """, valueName: "name[=points]"))
    var state: [Kind.State] = []
}

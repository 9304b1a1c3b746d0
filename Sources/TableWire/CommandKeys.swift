internal import TableModel

/// The keys of commands in JSON. Receivers ignore unknown keys, for later versions. But people who
/// write commands by hand want to learn of a wrong key.
public enum CommandKeys {
    /// The first key of a command that is no field of this version. Nil if all are known, or if the
    /// rest of the command is unreadable too.
    public static func unknown(in command: some Sequence<UInt8>) -> String? {
        Array(command).withUnsafeBytes { bytes in
            var source = JSONSource(bytes, .none)
            _ = try? source.message(Command.read(from:))
            return source.unknown
        }
    }

    /// The keys that commands have, at any depth but within the definitions of kinds: their names,
    /// their own keys, and those of what stands in them. A test holds this against the schema, whose
    /// names the library keeps to itself.
    public static let all = Set(
        Command.Name.allCases.flatMap { [$0.rawValue] + $0.description.keys } + conditions
            // These are keys of `carried`.
            + ["cameFrom", "changedMs", "createdMs", "movedMs", "performed", "sleep"]
            + ["anchor", "first", "last", "tap", "leading", "trailing"]  // of items and own actions
    ).sorted()

    /// The keys that stand beside the verb of a command.
    public static let conditions = ["if", "ifClaimed", "ifRevision", "ifVersion"]

    /// Whether a key may stand where an unknown one stands.
    public static func fits(_ key: String, insteadOf unknown: String, in command: String) -> Bool {
        let mended = command.replacing("\"\(unknown)\"", with: "\"\(key)\"")
        return Self.unknown(in: mended.utf8) != key && mended != command
    }
}

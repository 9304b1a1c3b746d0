internal import SwiftProtobuf

/// The keys of commands in JSON. Receivers ignore unknown keys, for later versions. But people who
/// write commands by hand want to learn of a wrong key.
public enum CommandKeys {
    /// The first key of a command that is no field of this version. Nil if all are known, or if the
    /// rest of the command is unreadable too.
    public static func unknown(in command: some Sequence<UInt8>) -> String? {
        var options = JSONDecodingOptions()
        options.messageDepthLimit = depthLimit
        do {
            _ = try WireCommand(jsonUTF8Bytes: Array(command), options: options)
        } catch JSONDecodingError.unknownField(let key) {
            return key
        } catch {}
        return nil
    }

    /// All keys of commands, at any depth, except those in definitions of kinds. A test compares
    /// this with the schema: the library does not publish its names.
    public static let all = [
        "a", "act", "action", "actions", "add", "after", "anchor", "b", "before", "bottom",
        "carried", "changedMs", "claim", "confirmed", "createdMs", "define", "done", "drop",
        "edge", "edit", "expand", "expandAll", "failed", "fields", "finish", "first", "fraction",
        "full", "holder", "id", "ifClaimed", "ifRevision", "ifVersion", "invocation", "item",
        "items", "kind", "kinds", "last", "leading", "mine", "most", "move", "movedMs", "note",
        "on", "open", "performed", "recall", "redo", "release", "remove", "removeSection",
        "revision", "row", "rows", "scroll", "section", "select", "set", "strict", "swap",
        "swipe", "table", "take", "tap", "title", "to", "toggle", "top", "trailing", "ttl",
        "unclaim", "undo", "unset",
    ]

    /// The keys that stand beside the verb of a command.
    public static let conditions = ["ifClaimed", "ifRevision", "ifVersion"]

    /// Whether a key may stand where an unknown one stands.
    public static func fits(_ key: String, insteadOf unknown: String, in command: String) -> Bool {
        let mended = command.replacing("\"\(unknown)\"", with: "\"\(key)\"")
        return Self.unknown(in: mended.utf8) != key && mended != command
    }
}

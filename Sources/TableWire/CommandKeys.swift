internal import SwiftProtobuf

/// The keys of commands in JSON. Receivers ignore those that they do not know, for the sake of later
/// versions; who writes commands by hand wants to hear of them.
public enum CommandKeys {
    /// The first key of a command that no field of this version has; nil where all are known, or
    /// where the rest of the command cannot be read either.
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

    /// The keys that commands have, at any depth but within the definitions of kinds. A test holds
    /// this against the schema, whose names the library keeps to itself.
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

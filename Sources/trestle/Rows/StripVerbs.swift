import ArgumentParser
import TableFiles
import TableModel
import TableSync

struct ItemVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "item", abstract: "Change the items of a strip.",
        usage: """
            trestle item <table> <row> add <item> [--title <title>] [--kind <kind>] \
            [--field <key=value> ...] [--tap <effects>] \
            [--first | --last | --before <item> | --after <item>] \(RowConditionOptions.usage)
            trestle item <table> <row> set <item> [--title <title>] [--kind <kind>] \
            [--field <key=value> ...] [--unset <key> ...] [--tap <effects>] \
            \(RowConditionOptions.usage)
            trestle item <table> <row> move <items> ... \
            (--first | --last | --before <item> | --after <item>) \(RowConditionOptions.usage)
            trestle item <table> <row> remove <items> ... \(RowConditionOptions.usage)
            """,
        discussion: """
            A strip is a row whose kind says `strip: true`: it scrolls sideways over its items. \
            Without a place a new item goes to the end. --kind names one of the item kinds of the \
            row's kind: it says how the item looks, and what it does.

              trestle item board t41 add starter --title "Soup"
              trestle item board t41 set starter --title "Soup, no croutons"
              trestle item board t41 set starter --kind dish
              trestle item board t41 move starter --last
              trestle item board t41 remove starter

            --tap says what selecting the item does instead of its kind's `tap`, as in a kinds \
            file. `[]` takes it away again.

              trestle item board t41 set starter --tap '{fill: {seen: "{actor} at {now}"}}'
              trestle item board t41 set starter --tap '{increment: {taps: 1}}'
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The strip's id.", completion: Live.rows) var row: String
    @Argument(help: "add, set, remove or move.") var change: Change
    @Argument(help: "The items' ids; add and set take one.") var items: [String]
    @Option(help: "What the item says (add, set).") var title: String?
    @Option(help: "The item's kind (add, set); '' for none.") var kind: String?
    @Option(
        name: .customLong("field"),
        help: .value("key=value", "A field (add, set); may be given several times."),
        transform: Row.Field.parse)
    var fields: [Row.Field] = []
    @Option(help: .value("key", "A field to remove (set).")) var unset: [String] = []
    @Option(help: .value("effects", "What selecting it does (add, set), in YAML.")) var tap: String?
    @Flag(help: "At the beginning (add, move).") var first = false
    @Flag(help: "At the end (add, move).") var last = false
    @Option(help: .value("item", "Before this item (add, move).")) var before: String?
    @Option(help: .value("item", "After this item (add, move).")) var after: String?
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    enum Change: String, ExpressibleByArgument, CaseIterable { case add, set, remove, move }

    func validate() throws {
        if items.isEmpty { throw ValidationError("Name an item.") }
        if items.count > 1, change == .add || change == .set {
            throw ValidationError("\(change.rawValue) takes one item.")
        }
        try Alternatives.check(
            ["--first": first, "--last": last, "--before": before != nil, "--after": after != nil],
            isNeeded: change == .move)
        let hasPlace = anchor != nil
        let hasContent = title != nil || kind != nil || !fields.isEmpty || tap != nil
        switch change {
        case .add:
            if !unset.isEmpty { throw ValidationError("add has nothing to unset.") }
        case .set:
            if hasPlace { throw ValidationError("set moves nothing: use move.") }
            if !hasContent, unset.isEmpty {
                throw ValidationError(
                    "Nothing to set: name --title, --kind, --field, --unset or --tap.")
            }
        case .remove:
            if hasPlace || hasContent || !unset.isEmpty {
                throw ValidationError("remove takes items only.")
            }
        case .move:
            if hasContent || !unset.isEmpty { throw ValidationError("move changes no content.") }
        }
    }

    private var itemKind: ID?? { kind.map { $0.isEmpty ? nil : ID($0) } }

    private var anchor: Anchor? {
        if first { return .top }
        if last { return .bottom }
        if let before { return .before(ID(before)) }
        return after.map { .after(ID($0)) }
    }

    private func command() throws -> Command.ItemChange {
        let ids = items.map { ID($0) }
        let tap = try tap.map { try KindsFile.tap($0) }
        switch change {
        case .add:
            return .add(
                Item(
                    ids[0], title: title ?? "", kind: itemKind ?? nil, fields: fields,
                    tap: tap ?? []), anchor ?? .bottom)
        case .set:
            return .set(
                ids[0],
                Item.Changes(
                    title: title, kind: itemKind, fields: fields,
                    unset: unset.map { ID($0) }, tap: tap))
        case .remove: return .remove(ids)
        case .move: return .move(ids, anchor ?? .bottom)
        }
    }

    func carryOut(_ connection: Connection) throws {
        let reply = try connection.perform(.item(ID(row), command()), on: table, condition)
        let words = ["add": "added", "set": "set", "remove": "removed", "move": "moved"]
        let done = words[change.rawValue] ?? ""
        try connection.show(reply, items.map { "\(done) \($0) in \(row)\(reply.suffix)" })
    }
}

struct ScrollVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "scroll", abstract: "Scroll a strip on every screen.",
        usage: """
            trestle scroll <table> <row> --item <item> [--fraction <fraction>] \
            \(RowConditionOptions.usage)
            """,
        discussion: """
            Only in tables with `scrollScope: shared`. In other tables each viewer scrolls by \
            itself.

              trestle scroll board t41 --item main --fraction 0.5
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The strip's id.", completion: Live.rows) var row: String
    @Option(help: "The first item that is visible.") var item: String
    @Option(help: "How much of that item is scrolled out: 0 to 1.") var fraction = 0.0
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func carryOut(_ connection: Connection) throws {
        let place = Scroll(ID(item), fraction: fraction)
        let reply = try connection.perform(.scroll(ID(row), place), on: table, condition)
        try connection.show(reply, ["\(row) is scrolled to \(item)\(reply.suffix)"])
    }
}

struct SelectVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "select", abstract: "Select a row, or an item of a strip.",
        usage: """
            trestle select <table> <what> [--quiet] \(RowConditionOptions.usage)
            trestle select <table> --none \(ConditionOptions.usage)
            """,
        discussion: """
            Everybody who follows the table sees who selected what. The effects of `tap`, of the \
            item or of the row's kind, happen in the same revision. Handlers get an invocation of \
            it under the action `tap`.

            In a table with `selection: shared` the table keeps what is selected. --quiet selects \
            without `tap` and without news, and --none ends the selection; other tables refuse both.

              trestle select board t41
              trestle select board t42/starter
            """)

    @Argument(help: "The table.", completion: Live.tables) var table: String
    @Argument(help: "The row, or row/item.", completion: Live.rows) var what: String?
    @Flag(help: "Only keep it selected: no tap, no news.") var quiet = false
    @Flag(help: "Nothing is selected any more.") var none = false
    @OptionGroup var condition: RowConditionOptions
    @OptionGroup var options: Options

    func validate() throws {
        if what == nil, !none { throw ValidationError("Name the row, or give --none.") }
        if what != nil || quiet, none { throw ValidationError("--none stands alone.") }
    }

    private func verb(_ row: String, _ item: String?) -> Command.Verb {
        let (row, item) = (ID(row), item.map { ID($0) })
        return quiet ? .mark(row, item: item) : .select(row, item: item)
    }

    func carryOut(_ connection: Connection) throws {
        guard let what else {
            let reply = try connection.perform(.mark(nil, item: nil), on: table, condition)
            return try connection.show(reply, ["nothing is selected\(reply.suffix)"])
        }
        // A row's id may have a slash in it: the item is behind the last one.
        let parts = what.split(separator: "/", omittingEmptySubsequences: false)
        let reply: Reply
        do {
            reply = try connection.perform(verb(what, nil), on: table, condition)
        } catch let failure as Failure
            where failure.code == Rejection.Code.noSuchRow.rawValue && parts.count > 1
        {
            let row = parts.dropLast().joined(separator: "/")
            let item = String(parts[parts.count - 1])
            reply = try connection.perform(verb(row, item), on: table, condition)
        }
        try connection.show(reply, ["selected \(what)\(quiet ? reply.suffix : "")"])
    }
}

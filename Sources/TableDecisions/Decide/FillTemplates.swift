import TableModel

// Effects with templates and increments (design rule F14): what they may hold, and what they come to.

extension Decision {
    /// From it on, a number is not exact in JSON.
    private static let mostIncrement: Int64 = 1_000_000_000_000_000

    /// Names in an effect: each is looked for among the fields of a row and of an item, at every press.
    private static let mostNames = 64

    func checkFill(_ fields: [Row.Field], field: String) throws(Rejection) {
        var names = 0
        for item in fields {
            try checkID(item.key, field: field)
            guard let template = Template(item.value) else {
                throw Rejection(
                    .badValue, "A brace has no name, or no other brace. {{ and }} are braces.",
                    field: "\(field).fill.\(item.key.text)")
            }
            names += template.parts.count { if case .name = $0 { true } else { false } }
        }
        try bound("names in braces", names, by: Self.mostNames, field: "\(field).fill")
    }

    func checkIncrements(_ increments: [Effect.Increment], field: String) throws(Rejection) {
        try bound("fields", increments.count, by: limits.fields, field: field)
        for one in increments {
            try checkID(one.key, field: field)
            try require(
                one.by.magnitude < Self.mostIncrement.magnitude, or: .badNumber,
                "An increment has at most 15 digits.", field: "\(field).increment.\(one.key.text)")
        }
    }

    /// Fields with their templates filled in from the row as it is, and from the item that was pressed
    /// or selected, if any. All together have at most as many bytes as a row.
    func filled(_ fields: [Row.Field], on row: Row, item: ID?) throws(Rejection) -> [Row.Field] {
        var room = limits.rowBytes
        return try filled(fields, on: row, item: item, room: &room)
    }

    private func filled(
        _ fields: [Row.Field], on row: Row, item: ID?, room: inout Int
    ) throws(Rejection) -> [Row.Field] {
        let item = item.flatMap { id in row.content.items.first { $0.id == id } }
        var all: [Row.Field] = []
        for field in fields {
            // A definition of a later version may have another form: its text stays as it is.
            let template = Template(field.value)
            let text =
                template.map { $0.filled(atMost: room) { value(of: $0, row, item) } } ?? field.value
            guard let text, text.utf8.count + field.key.byteCount <= room else {
                throw Rejection(
                    .tooLarge,
                    "Filled in, the effect has more bytes than a row can: \(limits.rowBytes).",
                    field: "effect.fill.\(field.key.text)")
            }
            room -= text.utf8.count + field.key.byteCount
            all.append(Row.Field(field.key, text))
        }
        return all
    }

    private func value(of name: String, _ row: Row, _ item: Item?) -> String {
        switch name {
        case "row": return row.id.text
        case "item": return item?.id.text ?? ""
        case "actor": return context.actor?.text ?? ""
        case "now": return String(nowMs)
        // Where it stood at the press, whatever moves it then.
        case "section": return section(of: row.id)?.text ?? ""
        // The section that it left last, if its kind asks for it.
        case "from": return row.cameFrom?.text ?? ""
        case "title": return item?.title ?? row.content.title
        default:
            // `{field:now}` is the field `now`.
            let key = ID(name.hasPrefix("field:") ? String(name.dropFirst(6)) : name)
            return item?.fields.first { $0.key == key }?.value ?? row.content.value(of: key) ?? ""
        }
    }

    /// The effects of an invocation's end. What they fill in is known at the press.
    func filledThen(_ then: [Effect], on row: Row, item: ID?) throws(Rejection) -> [Effect] {
        // The invocation keeps them all, so the bound is for all together.
        var room = limits.rowBytes
        var all: [Effect] = []
        for effect in then {
            if case .fill(let fields) = effect {
                all.append(.set(try filled(fields, on: row, item: item, room: &room)))
            } else {
                all.append(effect)
            }
        }
        return all
    }

    /// The fields after increments.
    func incremented(
        _ increments: [Effect.Increment], on row: Row
    ) throws(Rejection) -> [Row.Field] {
        var fields: [Row.Field] = []
        for one in increments {
            let field = "effect.increment.\(one.key.text)"
            let text = row.content.value(of: one.key) ?? "0"
            guard let old = Int64(text) else {
                throw Rejection(
                    .badValue, "Field \"\(one.key.text)\" is no whole number.", field: field)
            }
            let (new, isTooLarge) = old.addingReportingOverflow(one.by)
            if isTooLarge {
                throw Rejection(
                    .badNumber, "Field \"\(one.key.text)\" cannot grow so far.", field: field)
            }
            fields.append(Row.Field(one.key, String(new)))
        }
        return fields
    }
}

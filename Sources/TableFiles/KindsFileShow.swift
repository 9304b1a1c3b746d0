import StrictYAML
import TableModel

// The parts of a kinds file below `show` and `emphasis`: what rows show, and what stands out in them.

extension KindsFile {
    enum ShowKey: String, CaseIterable {
        case title, line, badge, detail, hide, `as`, wrap, group, color
    }

    static func show(_ value: Value) throws(Fault) -> Kind.Show {
        let fields = try value.fields(ShowKey.self)
        var show = Kind.Show()
        show.title = try fields[.title]?.string()
        show.line = try fields[.line]?.list { part throws(Fault) in try part.string() }
        show.badge = try fields[.badge]?.string()
        show.detail = try fields[.detail].map(ids) ?? []
        show.hide = try fields[.hide].map(ids) ?? []
        for (key, value) in try fields[.as]?.entries() ?? [] {
            guard let form = ValueForm(try value.string()) else {
                throw value.expected("one of \(ValueForm.names)")
            }
            show.forms[ID(key)] = form
        }
        show.wrap = try fields[.wrap]?.integer(in: 1...Kind.Show.mostLines) ?? show.wrap
        show.group = try fields[.group]?.string().id
        show.color = try fields[.color]?.string().id
        return show
    }

    static func ids(_ value: Value) throws(Fault) -> [ID] {
        try value.list { key throws(Fault) in try key.string().id }
    }

    enum EmphasisKey: String, CaseIterable { case when, field, row, background, color, icon }

    static func emphasis(_ value: Value) throws(Fault) -> Kind.Emphasis {
        let fields = try value.fields(EmphasisKey.self)
        let when = try fields.required(.when)
        let condition = RowCondition(try when.string())
        if let fault = condition.fault { throw when.fault("\(fault.message), at \(fault.offset)") }
        let isRow = try fields[.row]?.bool() ?? false
        guard isRow != (fields[.field] != nil) else {
            throw value.fault("either a `field` stands out, or with `row: true` the whole row")
        }
        return Kind.Emphasis(
            when: condition, field: try fields[.field]?.string().id,
            background: try fields[.background]?.string(), color: try fields[.color]?.string(),
            icon: try fields[.icon]?.string())
    }

    enum AlertKey: String, CaseIterable { case on, `in`, kinds, sound, `repeat` }

    static func alert(_ value: Value) throws(Fault) -> Alert {
        let fields = try value.fields(AlertKey.self)
        return Alert(
            try fields.required(.on).word(), in: try fields[.in].map(ids) ?? [],
            of: try fields[.kinds].map(ids) ?? [], sound: try fields[.sound]?.word() ?? .chime,
            repeatSeconds: try fields[.repeat]?.integer(in: 0...Alert.mostRepeatSeconds) ?? 0)
    }

    // MARK: Writing

    static func draft(_ alert: Alert) -> Draft {
        var out = Keys<AlertKey>()
        out[.on] = .text(alert.event.rawValue)
        if !alert.sections.isEmpty { out[.in] = .list(alert.sections.map { .text($0.text) }) }
        if !alert.kinds.isEmpty { out[.kinds] = .list(alert.kinds.map { .text($0.text) }) }
        if alert.sound != .chime { out[.sound] = .text(alert.sound.rawValue) }
        if alert.repeatSeconds > 0 { out[.repeat] = .integer(alert.repeatSeconds) }
        return out.draft
    }

    static func draft(_ show: Kind.Show) -> Draft {
        var out = Keys<ShowKey>()
        out[.title] = show.title.map(Draft.text)
        out[.line] = show.line.map { .list($0.map(Draft.text)) }
        out[.badge] = show.badge.map(Draft.text)
        if !show.detail.isEmpty { out[.detail] = .list(show.detail.map { .text($0.text) }) }
        if !show.hide.isEmpty { out[.hide] = .list(show.hide.map { .text($0.text) }) }
        if !show.forms.isEmpty {
            out[.as] = .mapping(
                show.forms.sorted { $0.key < $1.key }.map { ($0.key.text, .text($0.value.name)) })
        }
        if show.wrap != 1 { out[.wrap] = .integer(show.wrap) }
        out[.group] = show.group.map { .text($0.text) }
        out[.color] = show.color.map { .text($0.text) }
        return out.draft
    }

    static func draft(_ emphasis: Kind.Emphasis) -> Draft {
        var out = Keys<EmphasisKey>()
        out[.when] = .text(emphasis.when.text)
        out[.field] = emphasis.field.map { .text($0.text) }
        if emphasis.field == nil { out[.row] = .flag(true) }
        out[.background] = emphasis.background.map(Draft.text)
        out[.color] = emphasis.color.map(Draft.text)
        out[.icon] = emphasis.icon.map(Draft.text)
        return out.draft
    }
}

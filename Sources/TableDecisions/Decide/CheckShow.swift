import TableModel

// Bounds and forms of the faces of a kind's rows, by name and field.

extension Decision {
    /// Templates of a line, or names in all templates together: each is looked for in every row that is drawn.
    private static let mostParts = 64

    func checkShow(of kind: Kind) throws(Rejection) {
        let show = kind.show
        let templates =
            [(show.title, "title"), (show.badge, "badge")] + (show.line ?? []).map { ($0, "line") }
        try bound("parts of a line", templates.count, by: Self.mostParts, field: "show.line")
        var names = 0
        for case (let text?, let name) in templates {
            try checkTitle(text, field: "show.\(name)")
            guard let template = Template(text) else {
                throw Rejection(
                    .badValue, "A brace has no name, or no other brace. {{ and }} are braces.",
                    field: "show.\(name)")
            }
            for case .name(let part) in template.parts {
                names += 1
                if Template.isCount(part) { try checkCount(part, field: "show.\(name)") }
            }
        }
        try bound("names in braces", names, by: Self.mostParts, field: "show")
        for (keys, name) in [
            (show.detail, "show.detail"), (show.hide, "show.hide"),
            (show.forms.keys.sorted(), "show.as"), (show.group.map { [$0] } ?? [], "show.group"),
            (show.color.map { [$0] } ?? [], "show.color"), (kind.form, "form"),
        ] {
            try bound("fields", keys.count, by: limits.fields, field: name)
            try checkDistinct(keys, field: name)
            for key in keys { try checkID(key, field: name) }
        }
        try require(
            1...Kind.Show.mostLines ~= show.wrap, or: .badNumber,
            "A title has 1 to \(Kind.Show.mostLines) lines.", field: "show.wrap")
        try checkEmphasis(of: kind)
        try checkAgesSections(of: kind)
    }

    /// A number of rows of a group. Heights go by titles, and they must not depend on other rows.
    private func checkCount(_ text: String, field: String) throws(Rejection) {
        if field == "show.title" {
            throw Rejection(
                .badValue, "Rows are counted in the line and the badge, not in the title.",
                field: field)
        }
        do throws(PredicateFault) {
            _ = try PredicateParser.count(ofGroup: text)
        } catch {
            throw Rejection(
                .badValue, "At \(error.offset) of `\(text)`: \(error.message).", field: field)
        }
    }

    private func checkEmphasis(of kind: Kind) throws(Rejection) {
        try require(
            !kind.isStrip || kind.emphasis.isEmpty, or: .badValue,
            "A strip shows its items, and nothing of the row stands out.", field: "emphasis")
        try bound("emphases", kind.emphasis.count, by: Kind.mostEmphases, field: "emphasis")
        for (index, emphasis) in kind.emphasis.enumerated() {
            let field = "emphasis[\(index)]"
            try checkTitle(emphasis.when.text, field: "\(field).when")
            if let fault = emphasis.when.fault {
                throw Rejection(
                    .badValue, "At \(fault.offset) of `\(emphasis.when.text)`: \(fault.message).",
                    field: "\(field).when")
            }
            if let key = emphasis.field { try checkID(key, field: "\(field).field") }
            try checkColor(emphasis.background, field: "\(field).background")
            try checkColor(emphasis.color, field: "\(field).color")
            if let icon = emphasis.icon, IconName.canonical(icon) == nil {
                throw Rejection(
                    .badValue, "There is no such icon: `trestle kinds --icons` lists their names.",
                    field: "\(field).icon")
            }
        }
    }

    func checkAlerts(_ alerts: [Alert], field: String) throws(Rejection) {
        try bound("alerts", alerts.count, by: Alert.most, field: field)
        for (place, alert) in alerts.enumerated() {
            for (ids, name) in [(alert.sections, "in"), (alert.kinds, "kinds")] {
                let field = "\(field)[\(place)].\(name)"
                try bound(name, ids.count, by: Alert.mostNames, field: field)
                try checkDistinct(ids, field: field)
                for id in ids { try checkID(id, field: field) }
            }
            try require(
                alert.repeatSeconds <= Alert.mostRepeatSeconds, or: .badNumber,
                "An alert repeats after at most \(Alert.mostRepeatSeconds) s.",
                field: "\(field)[\(place)].repeat")
        }
    }

    private func checkAgesSections(of kind: Kind) throws(Rejection) {
        let sections = kind.ages?.sections ?? []
        try bound("sections", sections.count, by: limits.sections, field: "ages.in")
        try checkDistinct(sections, field: "ages.in")
        for section in sections { try checkID(section, field: "ages.in") }
    }
}

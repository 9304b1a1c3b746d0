internal import TableModel

// The faces of rows in kinds: what they show, and what stands out.

extension Kind.Show {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "title", title)
        if let line { s.message(2, "line") { $0.texts(1, "parts", line) } }
        s.text(3, "badge", badge)
        s.ids(4, "detail", detail)
        s.ids(5, "hide", hide)
        s.map(6, "as", forms.map { Row.Field($0.key, $0.value.name) })
        if wrap != 1 { s.number(7, "wrap", wrap) }
        s.id(8, "group", group)
        s.id(9, "color", color)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var show = Self()
        var forms: [Row.Field] = []
        let most = s.bounds.fields
        while try s.more() {
            try s.text(1, "title", &show.title)
            try s.one(2, "line", &show.line) { (s) throws(Refusal) in
                var parts: [String] = []
                while try s.more() { try s.texts(1, "parts", &parts) }
                return parts
            }
            try s.text(3, "badge", &show.badge)
            try s.ids(4, "detail", &show.detail, most: most)
            try s.ids(5, "hide", &show.hide, most: most)
            try s.map(6, "as", &forms)
            try s.number(7, "wrap", &show.wrap)
            try s.id(8, "group", &show.group)
            try s.id(9, "color", &show.color)
        }
        for field in forms {
            guard let form = ValueForm(field.value) else {
                throw Refusal(.badValue, "One of: \(ValueForm.names).", "as")
            }
            show.forms[field.key] = form
        }
        return show
    }
}

extension Kind.Emphasis {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "when", unlessEmpty: when.text)
        s.id(2, "field", field)
        s.text(3, "background", background)
        s.text(4, "color", color)
        s.text(5, "icon", icon)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var when = ""
        var look = Self(when: RowCondition(""))
        while try s.more() {
            try s.text(1, "when", &when)
            try s.id(2, "field", &look.field)
            try s.text(3, "background", &look.background)
            try s.text(4, "color", &look.color)
            try s.text(5, "icon", &look.icon)
        }
        look.when = RowCondition(when)
        return look
    }
}

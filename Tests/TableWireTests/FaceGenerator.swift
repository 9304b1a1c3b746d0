import TableModel

/// Random faces of rows.
extension Generator {
    mutating func show() -> Kind.Show {
        var show = Kind.Show()
        show.title = maybe { $0.text() }
        show.line = maybe { $0.list { $0.text() } }
        show.badge = maybe { $0.text() }
        (show.detail, show.hide) = (list { $0.id() }, list { $0.id() })
        // Protobuf's library takes "é" and "e\u{301}" for one key of a map.
        let keys = list { ID("k\($0.below(9))") }
        for key in keys {
            show.forms[key] = [.clock, .date, .age, .duration, .decimals(below(10))][below(5)]
        }
        show.wrap = UInt64(below(9))
        show.group = maybe { $0.id() }
        show.color = maybe { $0.id() }
        return show
    }

    mutating func emphasis() -> Kind.Emphasis {
        Kind.Emphasis(
            when: RowCondition(text()), field: maybe { $0.id() }, background: maybe { $0.text() },
            color: maybe { $0.text() }, icon: maybe { $0.text() })
    }
}

internal import TableModel

extension Source {
    /// The alerts of settings, if they are named; a definition in part may say that there are none.
    mutating func alerts(_ alerts: inout [Alert]?) throws(Refusal) {
        var (list, none) = (alerts ?? [], false)
        try messages(44, "alerts", &list, most: Alert.most, Alert.read(from:))
        if !list.isEmpty { alerts = list }
        try flag(45, "noAlerts", &none)
        guard none else { return }
        guard (alerts ?? []).isEmpty else {
            throw Refusal(.badValue, "There are alerts beside it.", "noAlerts")
        }
        alerts = []
    }
}

extension Alert {
    fileprivate static func read<S: Source>(from s: inout S) throws(Refusal) -> Alert {
        var (event, sound, alert) = (Event?.none, Sound?.none, Alert(.new))
        while try s.more() {
            try s.word(1, "on", &event)
            try s.ids(2, "in", &alert.sections, most: mostNames)
            try s.ids(3, "kinds", &alert.kinds, most: mostNames)
            try s.word(4, "sound", &sound)
            try s.number(5, "repeat", &alert.repeatSeconds)
        }
        (alert.event, alert.sound) = (try event.or(.missing("on")), sound ?? .chime)
        return alert
    }
}

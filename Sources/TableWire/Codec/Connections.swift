import TableSync

// A connection of a client, as an administrator is told of it.

extension ConnectionSummary {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "id", unlessEmpty: id)
        s.text(2, "from", unlessEmpty: from)
        s.text(3, "user", user)
        s.number(4, "uid", uid.map { UInt64($0) })
        s.number(5, "sinceMs", sinceMs)
        s.flag(6, "subscribes", ifSet: subscribes)
        s.flag(7, "encrypted", ifSet: isSealed)
        s.number(8, "receivedBytes", receivedBytes)
        s.number(9, "sentBytes", sentBytes)
        s.number(10, "waitingBytes", unlessZero: waitingBytes)
        s.number(11, "unreadMs", unlessZero: unreadMs)
        s.count(12, "topics", topics)
        s.texts(13, "tables", tables)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> ConnectionSummary {
        var one = ConnectionSummary(id: "", from: "")
        var uid = UInt64?.none
        while try s.more() {
            try s.text(1, "id", &one.id)
            try s.text(2, "from", &one.from)
            try s.text(3, "user", &one.user)
            try s.number(4, "uid", &uid)
            try s.number(5, "sinceMs", &one.sinceMs)
            try s.flag(6, "subscribes", &one.subscribes)
            try s.flag(7, "encrypted", &one.isSealed)
            try s.number(8, "receivedBytes", &one.receivedBytes)
            try s.number(9, "sentBytes", &one.sentBytes)
            try s.number(10, "waitingBytes", &one.waitingBytes)
            try s.number(11, "unreadMs", &one.unreadMs)
            try s.count(12, "topics", &one.topics)
            try s.texts(13, "tables", &one.tables)
        }
        one.uid = uid.map { UInt32(truncatingIfNeeded: $0) }
        return one
    }
}

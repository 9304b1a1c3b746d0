package import TableModel
package import TableSync

// Sentences that others say as data, in the language of the reader. Their own sentences are English, and name fields and versions
// for whoever writes programs: where the reader's language is English, they stay.
extension Wording {
    /// Why something was refused.
    package func refusal(_ rejection: Rejection) -> String {
        guard language != "en" else { return rejection.message }
        if let saying = rejection.saying {
            if saying.key == "said", let text = saying["text"] { return text }
            if let why = ended(saying) { return self("putDown.why", ["why": why]) }
            if let said = said("refusal.\(saying.key)", saying.values) { return said }
        }
        return said("refusal.\(rejection.code.rawValue)", []) ?? rejection.message
    }

    /// Why a lease has ended.
    package func end(_ end: Presence.Ended) -> String {
        guard language != "en" else { return end.reason }
        return end.saying.flatMap(ended) ?? end.reason
    }

    private func ended(_ saying: Saying) -> String? {
        saying.key.hasPrefix("putDown.") ? said(saying.key, saying.values) : nil
    }

    /// Why a row is not where it was asked to be; nil: all are.
    package func note(_ landings: [Landing]) -> String? {
        guard let landing = landings.first(where: { $0.note != nil }) else { return nil }
        guard language != "en" else { return landing.note }
        let known = landing.saying.flatMap { said("landed.\($0.key)", $0.values) }
        return known ?? self("landed.elsewhere")
    }

    /// Why an action failed: the words of its program, or what one of our own says in its place.
    func reason(_ reason: String) -> String {
        guard language != "en", let saying = OwnReason.saying(of: reason) else { return reason }
        if let seconds = saying["seconds"] {
            return Double(seconds).flatMap { UInt64(exactly: $0.rounded()) }
                .map { self("reason.late", ["span": span(seconds: $0)]) } ?? reason
        }
        if saying["status"] != nil || saying["signal"] != nil { return self("reason.failed") }
        return said("reason.\(saying.key)", saying.values) ?? reason
    }

    /// Why a text is no condition.
    func fault(_ fault: PredicateFault) -> String {
        guard language != "en" else { return fault.message }
        let values = fault.saying.values.map { value in
            value.value.isEmpty ? Row.Field(value.key, self("fault.end")) : value
        }
        return said("fault.\(fault.saying.key)", values) ?? fault.message
    }

    /// A change in a sentence.
    package func story(_ change: HistoryPage.Change) -> String {
        guard language != "en" else { return change.text }
        let parts = change.sayings.compactMap { did($0) }
        let what = parts.isEmpty ? self("story.other") : parts.joined(separator: " · ")
        guard change.cause.undoes != nil else { return what }
        return change.cause.verb == "redo"
            ? self("story.redo", ["what": what]) : self("story.undo", ["what": what])
    }

    /// A change as people who work at rows tell it, in each language; nil: it was only a way of looking. An action has its
    /// title, and what it did besides is not told. Of a batch actions come first.
    package func told(_ change: HistoryPage.Change, titleOf: (String) -> String) -> String? {
        guard !["swipe", "scroll", "select"].contains(change.cause.verb) else { return nil }
        let acts = change.sayings.filter { $0.key == "act" }
        let others = change.sayings.filter { $0.key != "act" }
        let isAct = change.cause.verb == "act" && !acts.isEmpty
        let parts = (isAct ? Array(acts.prefix(1)) : acts + others).compactMap { did($0, titleOf) }
        let what = parts.isEmpty ? change.text : parts.joined(separator: " · ")
        guard change.cause.undoes != nil, !parts.isEmpty else { return what }
        return self(change.cause.verb == "redo" ? "story.redo" : "story.undo", ["what": what])
    }

    /// One thing that a change did. One row is named, and how many more there are.
    private func did(_ saying: Saying, _ titleOf: (String) -> String = { $0 }) -> String? {
        var values = saying.values.map {
            $0.key.text == "action" ? Row.Field($0.key, titleOf($0.value)) : $0
        }
        if let row = saying["row"] {
            let more = saying["more"]
            let named =
                more.map { self("story.rows", ["row": row, "more": $0]) }
                ?? self("story.row", ["row": row])
            values = values.map { $0.key.text == "row" ? Row.Field($0.key, named) : $0 }
        }
        return said("story.\(saying.key)", values)
    }
}

import TableModel

// Commands after `:` about work: pausing it, putting rows off, the history of a row.
extension Board {
    /// Pauses new work: `all` or a section, and why. False: that is none.
    func pause(_ text: String) -> Bool {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard let name = parts.first, let scope = scope(name) else { return false }
        let why = parts.count > 1 ? parts[1] : ""
        change(.pause(scope, note: why), word("what.pause"))
        return true
    }

    /// All work goes on, or that of a section.
    func resume(_ text: String) {
        guard let scope = text.isEmpty ? Pause.Scope() : scope(text) else {
            return refuse(word("noSection", ["section": text]))
        }
        change(.pause(scope, note: nil), word("what.resume"))
    }

    private func scope(_ name: String) -> Pause.Scope? {
        if name == "all" { return Pause.Scope() }
        let id = SectionID(name)
        return table?.section(id) == nil ? nil : Pause.Scope(section: id)
    }

    /// Puts the selected row or the marked ones off, for `45m` or until `14:30`. False: that is neither.
    func snooze(_ text: String) -> Bool {
        guard let wait = Self.duration(text) ?? until(text) else { return false }
        onMarked { row in
            guard isReachable else { return }
            let rows = Few(rows(with: row).map(\.id))
            endMarks(
                after: wish(
                    .command(.snooze(rows, Command.Snooze(.after(wait)))), word("what.puttingOff")))
        }
        return true
    }

    /// Milliseconds of `90s`, `45m`, `1h30m` or `2d`, at most a year.
    static func duration(_ text: String) -> UInt64? {
        let units: [Character: UInt64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        var (sum, number) = (UInt64(0), "")
        for character in text {
            if character.isASCII, character.isNumber, number.count < 6 {
                number.append(character)
            } else {
                guard let unit = units[character], let count = UInt64(number) else { return nil }
                sum += count * unit
                number = ""
            }
            if sum > 366 * 86_400_000 { return nil }
        }
        return sum > 0 && number.isEmpty ? sum : nil
    }

    /// Milliseconds until the time of the day comes next, as the screen's zone has it.
    private func until(_ text: String) -> UInt64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ 1...2 ~= $0.utf8.count }),
            let hours = UInt64(parts[0]), let minutes = UInt64(parts[1]), hours < 24, minutes < 60
        else { return nil }
        let day: UInt64 = 86_400_000
        let now = UInt64(secondOfDay(timeMs)) * 1_000 + timeMs % 1_000
        let wait = ((hours * 60 + minutes) * 60_000 + day - now) % day
        return wait == 0 ? day : wait
    }

    /// The second of the day at a moment, in the screen's zone: also where that is before 1970.
    private func secondOfDay(_ ms: UInt64) -> Int64 {
        let day: Int64 = 86_400
        let second = (Int64(ms / 1_000) + Int64(zoneSeconds) % day) % day
        return (second + day) % day
    }

    // MARK: History

    func askStory() {
        guard let selected, isReachable else { return }
        mode = .story(selected, nil, at: 0)
        wish(.story(selected))
    }

    func learn(_ told: [Told], of row: RowID) {
        guard case .story(row, _, _) = mode else { return }
        mode = .story(row, told, at: 0)
        isDirty = true
    }

    func takeInStory(_ key: Key, _ row: RowID, _ told: [Told]?, _ at: Int) {
        let last = max(0, (told?.count ?? 0) - 1)
        switch keys[key] {
        case .down: mode = .story(row, told, at: min(at + 1, last))
        case .up: mode = .story(row, told, at: max(0, at - 1))
        case .first: mode = .story(row, told, at: 0)
        case .last: mode = .story(row, told, at: last)
        case .enter, .cancel, .quit: mode = .rows
        default: break
        }
    }

    /// The time of the day of a moment, in the screen's zone.
    func clockTime(_ ms: UInt64) -> String {
        let minutes = secondOfDay(ms) / 60
        let two = { (part: Int64) in part < 10 ? "0\(part)" : "\(part)" }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }
}

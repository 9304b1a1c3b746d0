import DaemonConfiguration
import StrictYAML
import TableFiles
import TableModel
import TablePredicate
import TableSync
import TableWire

/// By name. The rule for decoders: a named refusal, or a value that survives a second trip.
let targets: [String: Try] = [
    "request-json": { request($0, .json) },
    "request-proto": { request($0, .binary) },
    "reply-json": { reply($0, .json) },
    "reply-proto": { reply($0, .binary) },
    "publication-json": { publication($0, .json) },
    "publication-proto": { publication($0, .binary) },
    "presence-json": { presence($0, .json) },
    "presence-proto": { presence($0, .binary) },
    "behalf-json": { behalf($0, .json) },
    "behalf-proto": { behalf($0, .binary) },
    "topic": { topic(Array($0)) },
    "entry": { entry($0) },
    "inverse": { inverse($0) },
    "checkpoint": { checkpoint($0) },
    "parts": { parts($0) },
    "backup-file": { backupFile(Array($0)) },
    "header": { _ = Header.form($0) },
    "documents": { documents($0) },
    "kinds": { kinds($0) },
    "config": { config(text($0)) },
    "import-ndjson": { rows($0, .ndjson) },
    "import-json": { rows($0, .json) },
    "import-csv": { rows($0, .csv) },
    "import-markdown": { rows($0, .markdown) },
    "predicate": { predicate(text($0)) },
    "session": { session(text($0)) },
    "segment": { segment($0) },
    "checkpoint-file": { checkpointFile($0) },
    "reduce": { commands($0) },
    "reduce-requests": { requests($0) },
]

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
}

private func request(_ bytes: UnsafeRawBufferPointer, _ form: Form) {
    let decoded = Decode.request(bytes, form: form)
    switch decoded.result {
    case .failure(let rejection): precondition(!rejection.message.isEmpty)
    case .success(let request):
        // What it held before must not show.
        var other = Request(
            client: "old", number: 1, opened: 1, table: "old", name: "old", atMs: 1, .stepDown)
        let limits = SharedLimits(Limits())
        precondition(Decode.request(bytes, form: form, limits: limits, into: &other) == nil)
        precondition(other == request, "what was read over another request: \(other)")
        let again = Encode.request(request, form: form)
            .withUnsafeBytes { Decode.request($0, form: form) }
        precondition(again.result == .success(request), "\(request) comes back as \(again)")
        let bounded = Decode.request(bytes, form: form, limits: .small)
        if case .success(let same) = bounded.result { precondition(same == request) }
    }
}

private func behalf(_ bytes: UnsafeRawBufferPointer, _ form: Form) {
    let read: Behalf
    do throws(Rejection) {
        read = try Decode.behalf(bytes, form: form)
    } catch {
        return precondition(!error.message.isEmpty)
    }
    let again = Encode.behalf(read, form: form)
        .withUnsafeBytes { try? Decode.behalf($0, form: form) }
    precondition(again == read, "\(read) comes back as \(String(describing: again))")
}

extension Limits {
    /// So small that an input can go beyond them.
    static let small: Limits = {
        var limits = Limits()
        (limits.requestBytes, limits.batchCommands, limits.idBytes) = (400, 1, 6)
        (limits.fields, limits.items, limits.titleBytes) = (1, 1, 8)
        return limits
    }()
}

private func reply(_ bytes: UnsafeRawBufferPointer, _ form: Form) {
    guard let reply = try? Decode.reply(bytes, form: form) else { return }
    let again = Encode.reply(reply, form: form)
        .withUnsafeBytes { try? Decode.reply($0, form: form) }
    precondition(
        again?.settled == reply.settled, "\(reply) comes back as \(String(describing: again))")
}

private func publication(_ bytes: UnsafeRawBufferPointer, _ form: Form) {
    guard let publication = try? Decode.publication(bytes, form: form) else { return }
    let again = Encode.publication(publication, form: form)
        .withUnsafeBytes { try? Decode.publication($0, form: form) }
    precondition(
        again?.settled == publication.settled,
        "\(publication) comes back as \(String(describing: again))")
}

extension Reply {
    fileprivate var settled: Reply {
        guard case .replay(let publication, let head) = answer else { return self }
        var reply = self
        reply.answer = .replay(publication.settled, head: head)
        return reply
    }
}

extension Publication {
    /// Without the versions of the rows that are inserted: each becomes its diff's revision, whatever
    /// is said of it, and in binary nothing is.
    fileprivate var settled: Publication {
        var publication = self
        for index in publication.diffs.indices {
            publication.diffs[index].ops = publication.diffs[index].ops.map { step in
                guard case .insert(let row, let place, let hint) = step else { return step }
                return .insert(row.with(version: 0), place, hint: hint)
            }
        }
        return publication
    }
}

private func presence(_ bytes: UnsafeRawBufferPointer, _ form: Form) {
    guard let presence = try? Decode.presence(bytes, form: form) else { return }
    let again = Encode.presence(presence, form: form)
        .withUnsafeBytes { try? Decode.presence($0, form: form) }
    precondition(again == presence, "\(presence) comes back as \(String(describing: again))")
}

/// The frame of a subscription, as a viewer sends it.
private func topic(_ event: [UInt8]) {
    let topic = event.dropFirst()
    var topics = Topics()
    topics.subscribed(Array(topic), by: 1, at: 0)
    precondition(topics.isWanted(Array(topic)) && topics.count == 1)
    topics.unsubscribed(Array(topic), by: event.first == 0 ? nil : 1) { _, _ in false }
    precondition(!topics.isWanted(Array(topic)) && topics.count == 0)
    guard let target = Topics.parse(topic) else { return }
    let again =
        target.isPresence
        ? Topics.presence(target.form, target.table) : Topics.topic(target.form, target.table)
    precondition(again == Array(topic))
}

private func entry(_ bytes: UnsafeRawBufferPointer) {
    guard let entry = try? Decode.entry(bytes) else { return }
    let again = Encode.entry(entry).withUnsafeBytes { try? Decode.entry($0) }
    precondition(again == entry, "\(entry) comes back as \(String(describing: again))")
    for case .changed(_, let diff, let inverse) in entry.records {
        diff.withUnsafeBytes { Fuzz.diff($0) }
        inverse?.withUnsafeBytes { Fuzz.inverse($0) }
    }
}

private func diff(_ bytes: UnsafeRawBufferPointer) {
    guard let diff = try? Decode.diff(bytes, form: .binary) else { return }
    let slow = bytes.withUnknownField { try? Decode.diff($0, form: .binary) }
    precondition(slow == diff, "\(diff) and, with an unknown field, \(String(describing: slow))")
}

private func inverse(_ bytes: UnsafeRawBufferPointer) {
    guard let steps = try? Decode.inverse(bytes) else { return }
    let slow = bytes.withUnknownField { try? Decode.inverse($0) }
    precondition(slow == steps, "\(steps) and, with an unknown field, \(String(describing: slow))")
}

extension UnsafeRawBufferPointer {
    /// Lends the message with a field that the schema does not have, 999.
    fileprivate func withUnknownField<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        (Array(self) + [0xB8, 0x3E, 0]).withUnsafeBytes(body)
    }
}

private func checkpoint(_ bytes: UnsafeRawBufferPointer) {
    guard let part = try? Decode.checkpoint(bytes) else { return }
    let again = Encode.checkpoint(part).withUnsafeBytes { try? Decode.checkpoint($0) }
    precondition(again != nil, "\(part) does not come back")
}

private func documents(_ bytes: UnsafeRawBufferPointer) {
    do { _ = try Decode.state(text(bytes)) } catch {
        precondition(!error.description.isEmpty)
        _ = try? Decode.change(text(bytes))
    }
}

private func config(_ text: String) {
    for fault in Configuration.check(text, name: "f").faults {
        precondition(!fault.description.isEmpty)
    }
}

private func kinds(_ bytes: UnsafeRawBufferPointer) {
    let definitions: Command.Definitions
    do { definitions = try KindsFile.parse(text(bytes), name: "f") } catch {
        precondition(!error.description.isEmpty)
        return
    }
    let written = KindsFile.json(kinds: definitions.kinds, settings: definitions.settings)
    let again = try? KindsFile.parse(written, name: "f")
    precondition(again?.kinds == definitions.kinds, "comes back otherwise: \(written)")
}

private func session(_ line: String) {
    guard let read = try? Decode.sessionLine(line) else { return }
    let again = try? Decode.sessionLine(Encode.sessionLine(read))
    precondition(again == read, "\(read) comes back as \(String(describing: again))")
    if case .state(let state) = read { _ = try? state.table() }
}

/// Tries a text as a condition on a table and on a row.
private func predicate(_ text: String) {
    guard let condition = try? RowPredicate(text) else { return }
    let clock = PredicateClock(nowMs: 1_000_000)
    for id in ["a", "w", "q", "absent"] as [RowID] {
        _ = condition.holds(for: id, in: furnished, at: clock)
        _ = condition.nextChange(of: id, in: furnished, at: clock)
    }
    if let predicate = try? Predicate(text) {
        precondition(
            predicate.holds(for: furnished, at: clock)
                == predicate.outlook(for: furnished, at: clock).holds)
    }
}

private func rows(_ bytes: UnsafeRawBufferPointer, _ format: RowFormat) {
    let bytes = Array(bytes)
    do {
        _ = try ImportFile.parse(bytes, format: format, name: "f")
        _ = try ImportFile.sections(bytes, format: format, name: "f")
    } catch { precondition(!error.description.isEmpty) }
}

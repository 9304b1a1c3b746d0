import TableHash
import TableDecisions
import TableModel

// The digest, computed from the table's content alone, as docs/PROTOCOL.md says.

/// Numbers are 8 bytes, little-endian; text is its length as such a number, then its UTF-8.
struct Canonical {
    var bytes: [UInt8] = []

    mutating func number(_ value: UInt64) {
        for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
    }

    mutating func text(_ value: String) {
        number(UInt64(value.utf8.count))
        bytes += Array(value.utf8)
    }

    mutating func optional(_ value: String?) {
        number(value == nil ? 0 : 1)
        if let value { text(value) }
    }

    var hash: UInt64 { XXH64.hash(bytes) }
}

/// Σ xᵢ · Bⁿ⁻¹⁻ⁱ modulo p, element by element.
func naivePolynomial(_ hashes: [UInt64]) -> UInt64 {
    let prime: UInt64 = (1 << 61) - 1
    let base: UInt64 = 0x13C6_EF37_2FE9_4F82
    var value: UInt64 = 0
    for hash in hashes {
        let product = value.multipliedFullWidth(by: base)
        let (_, rest) = prime.dividingFullWidth((product.high, product.low))
        value = (rest + hash % prime) % prime
    }
    return value
}

extension NaiveTable.NaiveRow {
    var hash: UInt64 {
        var writer = Canonical()
        writer.text(id.text)
        writer.text(content.kind.text)
        writer.text(content.title)
        writer.number(UInt64(content.fields.count))
        for field in content.fields {
            writer.text(field.key.text)
            writer.text(field.value)
        }
        writer.number(createdMs)
        writer.text(expansion.text)
        writer.text(swipe?.rawValue ?? "closed")
        if !performed.isEmpty {
            writer.text("performed")
            writer.number(UInt64(performed.count))
            for performance in performed {
                writer.text(performance.action.text)
                writer.text(performance.state.name)
                switch performance.state {
                case .pending(let id): writer.text("\(id.revision).\(id.index)")
                case .done: break
                case .failed(let reason): writer.text(reason)
                }
            }
        }
        if let claim {
            writer.text("claim")
            writer.text(claim.holder.text)
            writer.text(claim.note)
            writer.number(1)
            writer.number((claim.ttlSeconds ?? 0).bitPattern)
            writer.number(claim.sinceMs)
        }
        if !content.states.isEmpty {
            writer.text("states")
            writer.number(UInt64(content.states.count))
            for state in content.states {
                writer.text(state.expansion.text)
                guard case .named(_, let height) = state else {
                    writer.number(0)
                    continue
                }
                writer.number(1)
                writer.number(height.bitPattern)
            }
        }
        if isSelected {
            writer.text("selected")
            writer.number(0)
        }
        if let cameFrom {
            writer.text("came from")
            writer.text(cameFrom.text)
        }
        if let sleep {
            writer.text("sleep")
            writer.number(sleep.untilMs)
            writer.text(sleep.isToTop ? "top" : "place")
        }
        return writer.hash
    }
}

extension NaiveTable {
    var digest: UInt64 {
        let hashes = sections.map { section in
            var writer = Canonical()
            writer.text(section.id.text)
            writer.text(section.title)
            writer.number(UInt64(section.rows.count))
            writer.number(naivePolynomial(section.rows.map(\.hash)))
            return writer.hash
        }
        var definitions = Canonical()
        definitions.number(settings.hash)
        definitions.number(UInt64(kinds.count))
        for (id, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            definitions.text(id.text)
            definitions.number(kind.hash)
        }
        var writer = Canonical()
        writer.number(UInt64(sections.count))
        writer.number(naivePolynomial(hashes))
        writer.number(definitions.hash)
        if isEditing { writer.text("editing") }
        if !invocations.isEmpty {
            writer.text("invocations")
            writer.number(UInt64(invocations.count))
            writer.number(invocations.reduce(0) { $0 &+ $1.hash })
        }
        return writer.hash
    }
}

extension NaiveTable.NaiveInvocation {
    /// In these tests a `then` has only effects that change fields; what it fills in is a `set` by now.
    var hash: UInt64 {
        var writer = Canonical()
        writer.text("\(id.revision).\(id.index)")
        writer.text(row.text)
        writer.text(action.text)
        writer.optional(client?.text)
        writer.number(pressedMs)
        writer.number(1)
        writer.number(deadline.bitPattern)
        Self.write(then, to: &writer)
        if retries != Retries() {
            writer.text("retries")
            writer.number(UInt64(retries.attempts ?? 0))
            writer.number(1)
            writer.number(retries.backoffSeconds.bitPattern)
            Self.write(retries.otherwise, to: &writer)
        }
        var whole = Canonical()
        whole.number(writer.hash)
        whole.optional(holder?.text)
        whole.number(UInt64(attempts))
        if let failure {
            whole.text(failure.reason)
            whole.number(failure.dueMs)
            whole.number(failure.isOver ? 1 : 0)
        }
        return whole.hash
    }

    private static func write(_ effects: [Effect], to writer: inout Canonical) {
        writer.number(UInt64(effects.count))
        for effect in effects {
            if case .set(let fields) = effect {
                writer.text("set")
                writer.number(UInt64(fields.count))
                for field in fields {
                    writer.text(field.key.text)
                    writer.text(field.value)
                }
            } else if case .increment(let increments) = effect {
                writer.text("increment")
                writer.number(UInt64(increments.count))
                for one in increments {
                    writer.text(one.key.text)
                    writer.number(UInt64(bitPattern: one.by))
                }
            }
        }
    }
}

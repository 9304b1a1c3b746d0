/// Reads on after a fault, so that a person hears of all of them at once.
public struct Faults: Sendable {
    /// In the order in which they were found.
    public private(set) var found: [Fault] = []

    /// None so far.
    public init() {}

    /// In the order of their places.
    public var inOrder: [Fault] {
        let numbered = found.enumerated().sorted { a, b in
            let (one, other) = (a.element, b.element)
            return (one.line, one.column ?? 0, a.offset) < (other.line, other.column ?? 0, b.offset)
        }
        return numbered.map(\.element)
    }

    /// One more.
    public mutating func append(_ fault: Fault) { found.append(fault) }

    /// Reads something; nil, and one more fault, where it cannot be read.
    public mutating func reading<T>(_ read: () throws(Fault) -> T) -> T? {
        do throws(Fault) {
            return try read()
        } catch {
            found.append(error)
            return nil
        }
    }

    /// Reads a value, if there is one; where it cannot be read, what was there stays.
    public mutating func read<T>(
        _ value: Value?, into target: inout T, _ read: (Value) throws(Fault) -> T
    ) {
        guard let value, let new = reading({ () throws(Fault) in try read(value) }) else { return }
        target = new
    }

    /// The same for a whole number.
    public mutating func read<I: FixedWidthInteger>(
        _ value: Value?, into target: inout I, in range: ClosedRange<I>
    ) {
        read(value, into: &target) { value throws(Fault) in try value.integer(in: range) }
    }

    /// A mapping of known keys; each other key is a fault. Nil where there is none.
    public mutating func fields<Key: FieldKey>(
        _ value: Value?, _ keys: Key.Type = Key.self
    ) -> Fields<Key>? {
        guard let value,
            let (fields, unknown) = reading({ () throws(Fault) in try value.sorted(into: keys) })
        else { return nil }
        found += unknown
        return fields
    }
}

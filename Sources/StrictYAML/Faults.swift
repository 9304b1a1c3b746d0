/// Collects faults while reading goes on, so that a person sees all of them at once.
public struct Faults: Sendable {
    /// The faults in the order in which they were found.
    public private(set) var found: [Fault] = []

    /// None so far.
    public init() {}

    /// The faults in the order of their places.
    public var inOrder: [Fault] {
        let numbered = found.enumerated().sorted { a, b in
            let (one, other) = (a.element, b.element)
            return (one.line, one.column ?? 0, a.offset) < (other.line, other.column ?? 0, b.offset)
        }
        return numbered.map(\.element)
    }

    /// Adds a fault.
    public mutating func append(_ fault: Fault) { found.append(fault) }

    /// Reads something. If it cannot be read, adds the fault and returns nil.
    public mutating func reading<T>(_ read: () throws(Fault) -> T) -> T? {
        do throws(Fault) {
            return try read()
        } catch {
            found.append(error)
            return nil
        }
    }

    /// Reads a value into a target. The target stays if there is no value or it cannot be read.
    public mutating func read<T>(
        _ value: Value?, into target: inout T, _ read: (Value) throws(Fault) -> T
    ) {
        guard let value, let new = reading({ () throws(Fault) in try read(value) }) else { return }
        target = new
    }

    /// Reads a whole number into a target.
    public mutating func read<I: FixedWidthInteger>(
        _ value: Value?, into target: inout I, in range: ClosedRange<I>
    ) {
        read(value, into: &target) { value throws(Fault) in try value.integer(in: range) }
    }

    /// A mapping of known keys; each unknown key is a fault. Nil: there is no such mapping.
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

/// A value behind one reference: to copy it counts that one, however much the value holds. What is behind it is
/// immutable, so whoever changes the value makes another.
struct Boxed<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(_ value: Value) { box = Box(value) }

    var value: Value {
        @inline(__always) _read { yield box.value }
        @inline(__always) _modify {
            var changed = box.value
            defer { box = Box(changed) }
            yield &changed
        }
    }
}

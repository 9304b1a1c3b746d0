/// A list that nearly always has one element: that lies in the value itself, so that no memory is allocated
/// for it. A command names one row, with few exceptions.
///
/// How it is kept does not tell: a list is equal to another if its elements are.
public enum Few<Element> {
    case one(Element)
    /// None, or several.
    case many([Element])

    /// No elements.
    public static var none: Self { .many([]) }

    /// The elements of an array, in its order.
    @inlinable
    public init(_ elements: [Element]) {
        self = elements.count == 1 ? .one(elements[0]) : .many(elements)
    }

    /// As an array.
    @inlinable
    public var array: [Element] {
        switch self {
        case .one(let element): return [element]
        case .many(let elements): return elements
        }
    }

    // These are a collection's, but the one element is looked at where it lies.

    /// Calls `body` with each element.
    @inlinable @inline(__always)
    public func forEach<Failure: Error>(_ body: (Element) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .one(let element): try body(element)
        case .many(let elements): for element in elements { try body(element) }
        }
    }

    /// Whether an element is such a one.
    @inlinable @inline(__always)
    public func contains(where isSuch: (Element) -> Bool) -> Bool {
        switch self {
        case .one(let element): isSuch(element)
        case .many(let elements): elements.contains(where: isSuch)
        }
    }

    /// Adds an element at the end.
    public mutating func append(_ element: Element) {
        switch consume self {
        case .one(let first): self = .many([first, element])
        case .many(var elements):
            if elements.isEmpty {
                self = .one(element)
            } else {
                elements.append(element)
                self = .many(elements)
            }
        }
    }
}

extension Few: RandomAccessCollection {
    /// Indices count from 0.
    @inlinable public var startIndex: Int { 0 }

    /// The number of elements.
    @inlinable public var endIndex: Int {
        switch self {
        case .one: return 1
        case .many(let elements): return elements.count
        }
    }

    /// The element at an index, which must be there.
    @inlinable
    public subscript(index: Int) -> Element {
        switch self {
        case .one(let element):
            precondition(index == 0, "no such element")
            return element
        case .many(let elements): return elements[index]
        }
    }
}

extension Few: ExpressibleByArrayLiteral {
    /// The elements of the literal.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension Few where Element: Equatable {
    /// Whether it is among them.
    @inlinable @inline(__always)
    public func contains(_ element: Element) -> Bool { contains { $0 == element } }
}

extension Few: Equatable where Element: Equatable {
    /// By elements.
    public static func == (a: Few, b: Few) -> Bool { a.elementsEqual(b) }
}

extension Few: Sendable where Element: Sendable {}

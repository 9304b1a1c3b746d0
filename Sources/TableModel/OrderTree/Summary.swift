/// The sum of a run of elements, such as counts, digests and heights.
package protocol Summary {
    /// The sum of no elements.
    static var empty: Self { get }
    /// Adds the run that follows. Must be associative.
    mutating func append(_ next: Self)

    /// Whether a sum can be brought up to date by the difference that a change of one part makes. Else all parts are
    /// added up anew, when somebody asks.
    static var tellsDifferences: Bool { get }
    /// The knowledge of the parts on one side of a part whose number of elements changes.
    associatedtype Side = Self
    /// The side that neighbouring parts make.
    static func side(_ parts: UnsafeBufferPointer<Self>) -> Side
    /// Exchanges one part for another with as many elements. `behind` is how many elements stand behind it.
    mutating func exchange(_ old: Self, for new: Self, before behind: Int)
    /// Exchanges one part for another with one element more or less. `front` is what stands before it.
    mutating func exchange(_ old: Self, for new: Self, before behind: Int, front: Side)
    /// Exchanges one part. `rest` is the side behind it: the caller takes the shorter side.
    mutating func exchange(_ old: Self, for new: Self, before behind: Int, rest: Side)
}

extension Summary {
    /// No: all parts are added up.
    package static var tellsDifferences: Bool { false }

    /// Never asked for.
    package mutating func exchange(_ old: Self, for new: Self, before behind: Int) {
        preconditionFailure("a sum that tells no differences")
    }

    /// Never asked for.
    package mutating func exchange(_ old: Self, for new: Self, before behind: Int, front: Side) {
        preconditionFailure("a sum that tells no differences")
    }

    /// Never asked for.
    package mutating func exchange(_ old: Self, for new: Self, before behind: Int, rest: Side) {
        preconditionFailure("a sum that tells no differences")
    }
}

extension Summary where Side == Self {
    /// Their sum.
    package static func side(_ parts: UnsafeBufferPointer<Self>) -> Self {
        parts.reduce(into: .empty) { $0.append($1) }
    }
}

/// An element that an `OrderTree` can hold. The tree finds it by its identity as an object.
package protocol TreeElement {
    associatedtype Sum: Summary
    /// The mark that a leaf keeps of an element: enough to compute its sum, and small if there are many.
    associatedtype Mark = Sum
    /// The sum of this element alone.
    var summary: Sum { get }
    /// The mark of this element.
    var mark: Mark { get }
    /// The sum of an element with this mark.
    static func sum(of mark: Mark) -> Sum
    /// The sum of neighbouring elements.
    static func total(of marks: UnsafeBufferPointer<Mark>) -> Sum
    /// The side that marks make on one side of an exchange.
    static func side(_ marks: UnsafeBufferPointer<Mark>) -> Sum.Side
    /// About how many bytes it takes to tell it. A leaf adds them up when it is asked.
    var weight: Int { get }
    /// The weight where nothing has to be added up; else nil.
    var quickWeight: Int? { get }
    /// Whether both are the same object, not only equal.
    func isSame(as other: Self) -> Bool
}

extension TreeElement {
    /// None: nobody asks.
    package var weight: Int { 0 }
    /// The default.
    package var quickWeight: Int? { 0 }
}

extension TreeElement where Mark == Sum {
    /// The sum itself.
    package var mark: Sum { summary }

    /// The mark is the sum.
    package static func sum(of mark: Sum) -> Sum { mark }

    /// Appends one sum after another.
    package static func total(of marks: UnsafeBufferPointer<Sum>) -> Sum {
        marks.reduce(into: .empty) { $0.append($1) }
    }

    /// The marks are sums.
    package static func side(_ marks: UnsafeBufferPointer<Sum>) -> Sum.Side { Sum.side(marks) }
}

extension TreeElement where Self: AnyObject {
    /// Whether both are the same object.
    package func isSame(as other: Self) -> Bool { self === other }
}

/// What a run of elements amounts to: counts, digests, heights.
public protocol Summary {
    /// Of no elements.
    static var empty: Self { get }
    /// Adds the run that follows. Must be associative.
    mutating func append(_ next: Self)
}

/// An element that an `OrderTree` can hold: it is found by its identity as an object.
public protocol TreeElement {
    associatedtype Sum: Summary
    /// What its leaf remembers of an element: enough to tell its sum, and small where elements are
    /// many.
    associatedtype Mark = Sum
    /// What this element alone amounts to.
    var summary: Sum { get }
    /// Of this element.
    var mark: Mark { get }
    /// What an element with this mark amounts to.
    static func sum(of mark: Mark) -> Sum
    /// What elements that follow each other amount to together.
    static func total(of marks: ContiguousArray<Mark>) -> Sum
    /// Whether it is the very same, and not only equal.
    func isSame(as other: Self) -> Bool
}

extension TreeElement where Mark == Sum {
    /// The sum itself.
    public var mark: Sum { summary }

    /// The mark itself.
    public static func sum(of mark: Sum) -> Sum { mark }

    /// By `append`, one after another.
    public static func total(of marks: ContiguousArray<Sum>) -> Sum {
        var sum = Sum.empty
        for mark in marks { sum.append(mark) }
        return sum
    }
}

extension TreeElement where Self: AnyObject {
    /// Whether it is the same object.
    public func isSame(as other: Self) -> Bool { self === other }
}

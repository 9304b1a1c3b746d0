/// What a run of elements amounts to: counts, digests, heights.
public protocol Summary {
    /// Of no elements.
    static var empty: Self { get }
    /// Adds the run that follows. Must be associative.
    mutating func append(_ next: Self)
    /// What elements that follow each other amount to together. Each run is of one element.
    static func total(ofElements runs: ContiguousArray<Self>) -> Self
}

extension Summary {
    /// By `append`, one after another.
    public static func total(ofElements runs: ContiguousArray<Self>) -> Self {
        var sum = empty
        for run in runs { sum.append(run) }
        return sum
    }
}

/// An element that an `OrderTree` can hold: it is found by its identity as an object.
public protocol TreeElement: AnyObject {
    associatedtype Sum: Summary
    /// What this element alone amounts to.
    var summary: Sum { get }
}

/// The sum of a run of elements, such as counts, digests and heights.
public protocol Summary {
    /// The sum of no elements.
    static var empty: Self { get }
    /// Adds the run that follows. Must be associative.
    mutating func append(_ next: Self)
    /// What must be known of the parts that an exchange moves by a place.
    associatedtype Moved = Self
    /// The same of neighbouring parts.
    static func moved(_ parts: UnsafeBufferPointer<Self>) -> Moved
    /// Exchanges one part of the run for another. It comes to what adding up all parts anew would.
    ///
    /// - Parameters:
    ///   - old: the part as it is counted now.
    ///   - new: the part that takes its place.
    ///   - behind: how many elements stand behind the part.
    ///   - front: of what stands before it. It takes long, and is asked for at most once.
    ///   - rest: of what stands behind it; the same.
    /// - Returns: false if that cannot be told without adding up all parts; then nothing is changed.
    mutating func replace(
        _ old: Self, by new: Self, before behind: Int, front: () -> Moved, rest: () -> Moved
    ) -> Bool
}

extension Summary {
    /// As if it could never be told.
    public mutating func replace(
        _ old: Self, by new: Self, before behind: Int, front: () -> Moved, rest: () -> Moved
    ) -> Bool { false }
}

extension Summary where Moved == Self {
    /// Their sum.
    public static func moved(_ parts: UnsafeBufferPointer<Self>) -> Self {
        parts.reduce(into: .empty) { $0.append($1) }
    }
}

/// An element that an `OrderTree` can hold. The tree finds it by its identity as an object.
public protocol TreeElement {
    associatedtype Sum: Summary
    /// What a leaf keeps of an element: enough to compute its sum, and small if there are many.
    associatedtype Mark = Sum
    /// The sum of this element alone.
    var summary: Sum { get }
    /// The mark of this element.
    var mark: Mark { get }
    /// The sum of an element with this mark.
    static func sum(of mark: Mark) -> Sum
    /// The sum of neighbouring elements.
    static func total(of marks: ContiguousArray<Mark>, in places: Range<Int>) -> Sum
    /// What must be known of them if an exchange moves them.
    static func moved(_ marks: UnsafeBufferPointer<Mark>) -> Sum.Moved
    /// About how many bytes it takes to tell it. A leaf adds them up when it is asked.
    var weight: Int { get }
    /// The same where nothing has to be added up; else nil.
    var quickWeight: Int? { get }
    /// Whether both are the same object, not only equal.
    func isSame(as other: Self) -> Bool
}

extension TreeElement {
    /// None: nobody asks.
    public var weight: Int { 0 }
    /// The same.
    public var quickWeight: Int? { 0 }
}

extension TreeElement where Mark == Sum {
    /// The sum itself.
    public var mark: Sum { summary }

    /// The mark is the sum.
    public static func sum(of mark: Sum) -> Sum { mark }

    /// Appends one sum after another.
    public static func total(of marks: ContiguousArray<Sum>, in places: Range<Int>) -> Sum {
        var sum = Sum.empty
        for mark in marks[places] { sum.append(mark) }
        return sum
    }

    /// The marks are sums.
    public static func moved(_ marks: UnsafeBufferPointer<Sum>) -> Sum.Moved { Sum.moved(marks) }
}

extension TreeElement where Self: AnyObject {
    /// Whether both are the same object.
    public func isSame(as other: Self) -> Bool { self === other }
}

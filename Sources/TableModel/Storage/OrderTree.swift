/// A sequence in a B+ tree with array nodes: insert, remove, replace, rank and summary are all
/// O(log n).
///
/// The tree does not search by id: whoever holds it keeps a map from id to (element, leaf), and is
/// told by `onMove` when an element changes its leaf. Leaves hold their elements in arrays with
/// value semantics, so `runs()` captures the whole sequence in O(n / 64), for snapshots and
/// checkpoints that go on while the tree changes.
public final class OrderTree<Element: TreeElement> {
    /// A node: a leaf with elements, or a branch with children.
    public final class Node {
        fileprivate(set) var elements: ContiguousArray<Element> = []
        var children: ContiguousArray<Node> = []
        /// Of each element: here, because elements lie all over memory, and every edit adds them up.
        var marks: ContiguousArray<Element.Mark> = []
        /// Of each child, and how many elements it has: here for the same reason.
        var sums: ContiguousArray<Element.Sum> = []
        var counts: ContiguousArray<Int> = []
        unowned(unsafe) fileprivate(set) var parent: Node?
        /// Its place among its parent's children.
        fileprivate(set) var place = 0
        /// The tree that holds it, so that an element's leaf tells its section.
        fileprivate(set) unowned(unsafe) var tree: OrderTree?
        fileprivate(set) var count = 0
        private var sum = Element.Sum.empty
        var isDirty = false
        /// A bit for each child whose sum is to be asked for.
        private var dirtyChildren: UInt64 = 0

        fileprivate init(in tree: OrderTree?) {
            self.tree = tree
        }

        var isLeaf: Bool { children.isEmpty }
        var width: Int { isLeaf ? elements.count : children.count }

        /// Of one element or child.
        func sum(at place: Int) -> Element.Sum {
            isLeaf ? Element.sum(of: marks[place]) : sums[place]
        }

        /// Summaries are computed when they are asked for: a batch of edits in one leaf costs one.
        fileprivate func touch(countChange: Int) {
            var node = self
            node.count += countChange
            node.isDirty = true
            while let above = node.parent {
                let index = node.place
                above.counts[index] += countChange
                above.count += countChange
                above.dirtyChildren |= 1 << UInt64(index)
                above.isDirty = true
                node = above
            }
        }

        var summary: Element.Sum {
            if !isDirty { return sum }
            while dirtyChildren != 0 {
                let index = dirtyChildren.trailingZeroBitCount
                sums[index] = children[index].summary
                dirtyChildren &= dirtyChildren - 1
            }
            if isLeaf {
                sum = Element.total(of: marks)
            } else {
                sum = .empty
                for one in sums { sum.append(one) }
            }
            isDirty = false
            return sum
        }

        /// After its children or elements have become others.
        fileprivate func recount() {
            isDirty = true
            if isLeaf {
                count = elements.count
                return
            }
            for (place, child) in children.enumerated() {
                child.parent = self
                child.place = place
            }
            counts = ContiguousArray(children.map(\.count))
            count = counts.reduce(0, +)
            sums = ContiguousArray(repeating: .empty, count: children.count)
            dirtyChildren = (1 << UInt64(children.count)) - 1
        }
    }

    /// Elements in a leaf at most: the move of a row touches two arrays of this size.
    static var leafCapacity: Int { 64 }
    /// Children of a branch at most.
    static var fanOut: Int { 32 }

    private(set) var root = Node(in: nil)
    private let onMove: (Element, Node) -> Void
    /// Who holds the tree, for those who come to it from an element's leaf. Not looked at here.
    public unowned(unsafe) var owner: AnyObject?

    /// An empty tree. `onMove` is called with each element that came to stand in another leaf.
    public init(onMove: @escaping (Element, Node) -> Void) {
        self.onMove = onMove
        root.tree = self
    }

    /// How many elements.
    public var count: Int { root.count }
    /// What all elements together amount to.
    public var summary: Element.Sum { root.summary }

    // MARK: Reading

    /// The element at this index; nil when there is none.
    public func element(at index: Int) -> Element? {
        guard index >= 0, index < count else { return nil }
        var rest = index
        var node: Node = root
        descent: while !node.isLeaf {
            for (index, count) in node.counts.enumerated() {
                if rest < count {
                    node = node.children[index]
                    continue descent
                }
                rest -= count
            }
            preconditionFailure("the counts of a branch do not add up")
        }
        return node.elements[rest]
    }

    /// The index of an element that stands in this leaf.
    public func index(of element: Element, in leaf: Node) -> Int {
        place(of: element, in: leaf) + elements(before: leaf)
    }

    private func elements(before leaf: Node) -> Int {
        var sum = 0
        var node = leaf
        while let parent = node.parent {
            for index in 0..<node.place { sum += parent.counts[index] }
            node = parent
        }
        return sum
    }

    /// The index of an element that stands in this leaf, and the element before it, in O(log n).
    public func locate(_ element: Element, in leaf: Node) -> (index: Int, before: Element?) {
        let place = place(of: element, in: leaf)
        let index = place + elements(before: leaf)
        return (index, place > 0 ? leaf.elements[place - 1] : self.element(at: index - 1))
    }

    /// The element before this one, in O(log n).
    public func predecessor(of element: Element, in leaf: Node) -> Element? {
        let place = place(of: element, in: leaf)
        if place > 0 { return leaf.elements[place - 1] }
        return self.element(at: index(of: element, in: leaf) - 1)
    }

    /// The element after this one, in O(log n).
    public func successor(of element: Element, in leaf: Node) -> Element? {
        let place = place(of: element, in: leaf) + 1
        if place < leaf.elements.count { return leaf.elements[place] }
        return self.element(at: index(of: element, in: leaf) + 1)
    }

    /// The last element.
    public var last: Element? { element(at: count - 1) }

    /// All elements in order, as arrays that later changes do not touch. O(n / 64).
    public func runs() -> [ContiguousArray<Element>] {
        var runs: [ContiguousArray<Element>] = []
        runs.reserveCapacity(count / (Self.leafCapacity / 2) + 1)
        collect(root, into: &runs)
        return runs
    }

    private func collect(_ node: Node, into runs: inout [ContiguousArray<Element>]) {
        if node.isLeaf {
            if !node.elements.isEmpty { runs.append(node.elements) }
        } else {
            for child in node.children { collect(child, into: &runs) }
        }
    }

    /// Elements in order of which `matches` holds, in O(log n) for each: it must be true of the sum
    /// of a run if it is true of one element in it.
    public func elements(where matches: (Element.Sum) -> Bool) -> [Element] {
        var found: [Element] = []
        search(root, matches, &found)
        return found
    }

    private func search(_ node: Node, _ matches: (Element.Sum) -> Bool, _ found: inout [Element]) {
        guard matches(node.summary) else { return }
        for child in node.children { search(child, matches, &found) }
        for (element, mark) in zip(node.elements, node.marks)
        where matches(Element.sum(of: mark)) {
            found.append(element)
        }
    }

    func place(of element: Element, in leaf: Node) -> Int {
        guard let place = leaf.elements.firstIndex(where: { $0.isSame(as: element) }) else {
            preconditionFailure("an element is not in the leaf that its slot names")
        }
        return place
    }

    // MARK: Changing

    /// Puts `new` where `old` stands.
    public func replace(_ old: Element, with new: Element, in leaf: Node) {
        let place = place(of: old, in: leaf)
        leaf.elements[place] = new
        leaf.marks[place] = new.mark
        leaf.touch(countChange: 0)
        onMove(new, leaf)
    }

    /// Inserts after an element, which stands in `leaf`.
    public func insert(_ element: Element, after other: Element, in leaf: Node) {
        insert(element, in: leaf, at: place(of: other, in: leaf) + 1)
    }

    /// Inserts before all others.
    public func insertFirst(_ element: Element) {
        var node: Node = root
        while !node.isLeaf { node = node.children[0] }
        insert(element, in: node, at: 0)
    }

    /// Appends after all others.
    public func append(_ element: Element) {
        var node: Node = root
        while let child = node.children.last { node = child }
        insert(element, in: node, at: node.elements.count)
    }

    /// Puts elements at the end of the last leaf, which has room for them.
    func fill(_ leaf: Node, with elements: some Collection<Element>) {
        leaf.elements.append(contentsOf: elements)
        for element in elements {
            leaf.marks.append(element.mark)
            onMove(element, leaf)
        }
        leaf.touch(countChange: elements.count)
    }

    private func insert(_ element: Element, in leaf: Node, at place: Int) {
        if leaf.elements.count == Self.leafCapacity / 2 {
            // At once what it may come to hold: arrays that double would grow beyond that.
            leaf.elements.reserveCapacity(Self.leafCapacity + 1)
            leaf.marks.reserveCapacity(Self.leafCapacity + 1)
        }
        leaf.elements.insert(element, at: place)
        leaf.marks.insert(element.mark, at: place)
        leaf.touch(countChange: 1)
        onMove(element, leaf)
        if leaf.elements.count > Self.leafCapacity { split(leaf, at: splitPoint(leaf, place)) }
    }

    /// In the middle; but near an end where elements are being appended one after another, so that
    /// a table which is filled in order has full leaves.
    private func splitPoint(_ leaf: Node, _ place: Int) -> Int {
        place == leaf.elements.count - 1 ? leaf.elements.count * 7 / 8 : leaf.elements.count / 2
    }

    /// Starts a leaf behind the last one, which is as full as leaves are that are filled in order.
    func extend(_ last: Node) -> Node {
        let leaf = Node(in: self)
        leaf.elements.reserveCapacity(Self.leafCapacity)
        leaf.marks.reserveCapacity(Self.leafCapacity)
        attach(leaf, behind: last)
        return leaf
    }

    private func split(_ node: Node, at middle: Int) {
        let sibling = Node(in: self)
        if node.isLeaf {
            sibling.elements = ContiguousArray(node.elements[middle...])
            sibling.marks = ContiguousArray(node.marks[middle...])
            node.elements.removeSubrange(middle...)
            node.marks.removeSubrange(middle...)
            for element in sibling.elements { onMove(element, sibling) }
        } else {
            sibling.children = ContiguousArray(node.children[middle...])
            node.children.removeSubrange(middle...)
        }
        node.recount()
        sibling.recount()
        attach(sibling, behind: node)
    }

    private func attach(_ sibling: Node, behind node: Node) {
        guard let parent = node.parent else { return grow(node, sibling) }
        parent.children.insert(sibling, at: node.place + 1)
        parent.recount()
        if parent.children.count > Self.fanOut { split(parent, at: parent.children.count / 2) }
    }

    private func grow(_ left: Node, _ right: Node) {
        let top = Node(in: self)
        top.children = [left, right]
        top.recount()
        root = top
    }

    /// Removes an element that stands in `leaf`.
    public func remove(_ element: Element, in leaf: Node) {
        let place = place(of: element, in: leaf)
        leaf.elements.remove(at: place)
        leaf.marks.remove(at: place)
        leaf.touch(countChange: -1)
        if leaf.elements.count < Self.leafCapacity / 4 { mend(leaf) }
    }

    /// Joins a node that has become small with its neighbour, or evens the two out.
    private func mend(_ node: Node) {
        guard let parent = node.parent else { return shrink() }
        guard parent.children.count > 1 else { return }
        let index = node.place
        let left = parent.children[index > 0 ? index - 1 : 0]
        let right = parent.children[index > 0 ? index : 1]
        let capacity = node.isLeaf ? Self.leafCapacity : Self.fanOut
        let total = left.width + right.width
        if total <= capacity * 3 / 4 {
            shift(right.width, from: right, toEndOf: left)
            parent.children.remove(at: index > 0 ? index : 1)
        } else if left.width < total / 2 {
            shift(total / 2 - left.width, from: right, toEndOf: left)
        } else {
            shift(left.width - total / 2, from: left, toStartOf: right)
        }
        parent.recount()
        if parent.children.count < Self.fanOut / 4 { mend(parent) }
    }

    private func shift(_ number: Int, from right: Node, toEndOf left: Node) {
        let leaf = left.isLeaf
        if leaf {
            let moved = right.elements.prefix(number)
            for element in moved { onMove(element, left) }
            left.elements.append(contentsOf: moved)
            left.marks.append(contentsOf: right.marks.prefix(number))
            right.elements.removeFirst(number)
            right.marks.removeFirst(number)
        } else {
            let moved = right.children.prefix(number)
            left.children.append(contentsOf: moved)
            right.children.removeFirst(number)
        }
        left.recount()
        right.recount()
    }

    private func shift(_ number: Int, from left: Node, toStartOf right: Node) {
        if left.isLeaf {
            let moved = left.elements.suffix(number)
            for element in moved { onMove(element, right) }
            right.elements.insert(contentsOf: moved, at: 0)
            right.marks.insert(contentsOf: left.marks.suffix(number), at: 0)
            left.elements.removeLast(number)
            left.marks.removeLast(number)
        } else {
            let moved = left.children.suffix(number)
            right.children.insert(contentsOf: moved, at: 0)
            left.children.removeLast(number)
        }
        left.recount()
        right.recount()
    }

    /// A root with one child is that child.
    private func shrink() {
        while root.children.count == 1 {
            root = root.children[0]
            root.parent = nil
        }
    }
}

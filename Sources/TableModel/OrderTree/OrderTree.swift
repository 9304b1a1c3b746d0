/// A sequence in a B+ tree with array nodes: insert, remove, replace, rank and summary are all
/// O(log n).
///
/// The tree does not search by id. Its holder keeps a map from ids to (element, leaf), and `onMove`
/// tells it when an element changes its leaf. Leaves hold their elements in arrays with value
/// semantics. So `runs()` captures the whole sequence in O(n / 64), for snapshots and checkpoints
/// that go on while the tree changes.
package final class OrderTree<Element: TreeElement> {
    /// Most elements in a leaf: moving a row touches two arrays of this size.
    static var leafCapacity: Int { 64 }
    /// Most children of a branch.
    static var fanOut: Int { 32 }

    private(set) var root = Node(in: nil, isLeaf: true)
    private let onMove: (Element, Node) -> Void
    /// The object that holds the tree, reached from an element's leaf. The tree does not use it.
    package var owner: AnyObject? {
        get { holder?.takeUnretainedValue() }
        set { holder = newValue.map { .passUnretained($0) } }
    }
    private var holder: Unmanaged<AnyObject>?

    /// The leaf that was changed last, and how many elements stand before it, which the way up has told; nil: other
    /// nodes have come or gone since.
    private var latest: (leaf: Unmanaged<Node>, start: Int)?

    /// An empty tree. `onMove` is called with each element that changes its leaf.
    package init(onMove: @escaping (Element, Node) -> Void) {
        self.onMove = onMove
        root.tree = self
    }

    /// The number of elements.
    package var count: Int { root.count }
    /// The sum of all elements.
    package var summary: Element.Sum { root.summary }

    @inline(__always)
    func noteLatest(_ leaf: Unmanaged<Node>, start: Int) { latest = (leaf, start) }

    func forgetLatest() { latest = nil }

    /// How many elements stand before those of a leaf.
    @inline(__always)
    func start(of leaf: Node) -> Int {
        if let latest, latest.leaf.toOpaque() == Unmanaged.passUnretained(leaf).toOpaque() {
            return latest.start
        }
        let start = leaf.elementsBefore
        latest = (.passUnretained(leaf), start)
        return start
    }

    // MARK: Reading

    /// Lends the owner.
    @inline(__always)
    package func withOwner<Result>(_ body: (AnyObject) -> Result) -> Result? {
        holder?._withUnsafeGuaranteedRef { body($0) }
    }

    /// The element at this index; nil when there is none.
    package func element(at index: Int) -> Element? {
        guard index >= 0, index < count else { return nil }
        var rest = index
        var node: Node = root
        descent: while !node.isLeaf {
            for place in node.counts.indices {
                if rest < node.counts[place] {
                    node = node.children[place]
                    continue descent
                }
                rest -= node.counts[place]
            }
            preconditionFailure("the counts of a branch do not add up")
        }
        return node.elements[rest]
    }

    /// The index of an element in this leaf.
    package func index(of element: Element, in leaf: Node) -> Int {
        place(of: element, in: leaf) + start(of: leaf)
    }

    /// The index of the element at a place of this leaf, and the element before it, in O(log n).
    package func locate(_ place: Int, in leaf: Node) -> (index: Int, before: Element?) {
        let index = place + start(of: leaf)
        return (index, place > 0 ? leaf.elements[place - 1] : self.element(at: index - 1))
    }

    /// The element before this one, in O(log n).
    package func predecessor(of element: Element, in leaf: Node) -> Element? {
        predecessor(of: place(of: element, in: leaf), in: leaf)
    }

    /// The element before the one at a place of this leaf.
    package func predecessor(of place: Int, in leaf: Node) -> Element? {
        place > 0 ? leaf.elements[place - 1] : element(at: start(of: leaf) - 1)
    }

    /// The element after this one, in O(log n).
    package func successor(of element: Element, in leaf: Node) -> Element? {
        let place = place(of: element, in: leaf) + 1
        if place < leaf.elements.count { return leaf.elements[place] }
        return self.element(at: index(of: element, in: leaf) + 1)
    }

    /// The last element.
    package var last: Element? { element(at: count - 1) }

    /// All elements in order, as arrays that later changes do not touch. O(n / 64).
    package func runs() -> [ContiguousArray<Element>] { leaves { $0.elements } }

    /// The runs, each with the weight of its elements. Most leaves know it.
    package func weighedRuns() -> [(elements: ContiguousArray<Element>, weight: Int)] {
        leaves { ($0.elements, $0.weight) }
    }

    /// The parts of each leaf that is not empty, in order.
    private func leaves<Part>(_ part: (Node) -> Part) -> [Part] {
        var parts: [Part] = []
        parts.reserveCapacity(count / (Self.leafCapacity / 2) + 1)
        collect(root, into: &parts, part)
        return parts
    }

    /// Shows `body` each leaf that is not empty, in order. It must not add or remove elements.
    func forEachLeaf(_ body: (Node) -> Void) { forEachLeaf(below: root, body) }

    private func forEachLeaf(below node: Node, _ body: (Node) -> Void) {
        if node.isLeaf {
            if node.count > 0 { body(node) }
        } else {
            for child in node.children.all { forEachLeaf(below: child, body) }
        }
    }

    private func collect<Part>(_ node: Node, into parts: inout [Part], _ part: (Node) -> Part) {
        if node.isLeaf {
            if node.count > 0 { parts.append(part(node)) }
        } else {
            for child in node.children.all { collect(child, into: &parts, part) }
        }
    }

    /// The elements for which `matches` holds, in order, in O(log n) for each. `matches` must hold
    /// for the sum of a run if it holds for one element of the run.
    package func elements(where matches: (Element.Sum) -> Bool) -> [Element] {
        var found: [Element] = []
        search(root, matches, &found)
        return found
    }

    private func search(_ node: Node, _ matches: (Element.Sum) -> Bool, _ found: inout [Element]) {
        guard matches(node.summary) else { return }
        for child in node.children.all { search(child, matches, &found) }
        for (element, mark) in zip(node.elements, node.marks.all)
        where matches(Element.sum(of: mark)) {
            found.append(element)
        }
    }

    package func place(of element: Element, in leaf: Node) -> Int {
        // As a rule whoever has changed an element asks where it is now.
        let latest = leaf.latestPlace
        return leaf.elements.withUnsafeBufferPointer { elements in
            if latest < elements.count, elements[latest].isSame(as: element) { return latest }
            // A caller that reads many places goes from one to the next.
            if latest + 1 < elements.count, elements[latest + 1].isSame(as: element) {
                leaf.latestPlace = latest + 1
                return latest + 1
            }
            guard let found = elements.firstIndex(where: { $0.isSame(as: element) }) else {
                preconditionFailure("an element is not in the leaf that its slot names")
            }
            leaf.latestPlace = found
            return found
        }
    }

    // MARK: Changing

    /// Replaces `old` by `new` at the same place.
    package func replace(_ old: Element, with new: Element, in leaf: Node) {
        change(at: place(of: old, in: leaf), in: leaf) { _ in new }
    }

    /// Lets `change` change the element at a place of this leaf where it lies, or return another one that
    /// is to take its place. It must not look at the tree.
    @inline(__always)
    package func change(at place: Int, in leaf: Node, _ change: (inout Element) -> Element?) {
        let (before, now, mark) = leaf.elements.withUnsafeMutableBufferPointer { elements in
            precondition(elements.indices.contains(place), "no such place in the leaf")
            let weight = elements[place].quickWeight
            if let other = change(&elements[place]) {
                // An observer of the new element may still look at the one before.
                let before = elements[place]
                elements[place] = other
                withExtendedLifetime(before) { onMove(other, leaf) }
            }
            return (weight, elements[place].quickWeight, elements[place].mark)
        }
        leaf.note((before, now))
        leaf.remark(place, mark)
    }

    /// Does the same with each element for which `matches` holds. What a leaf comes to is then added up once.
    package func change(where matches: (Element) -> Bool, _ change: (inout Element) -> Element?) {
        self.change(in: root, where: matches, change)
    }

    private func change(
        in node: Node, where matches: (Element) -> Bool, _ change: (inout Element) -> Element?
    ) {
        for child in node.children.all { self.change(in: child, where: matches, change) }
        for place in node.elements.indices where matches(node.elements[place]) {
            node.willChangeMuch()
            self.change(at: place, in: node, change)
        }
    }

    /// Inserts an element after `other`, which is in `leaf`.
    package func insert(_ element: Element, after other: Element, in leaf: Node) {
        insert(element, in: leaf, at: place(of: other, in: leaf) + 1)
    }

    /// Inserts an element before all others.
    package func insertFirst(_ element: Element) {
        var node: Node = root
        while !node.isLeaf { node = node.children[0] }
        insert(element, in: node, at: 0)
    }

    /// The last leaf.
    var lastLeaf: Node {
        var node: Node = root
        while let child = node.children.last { node = child }
        return node
    }

    /// Appends an element after all others.
    package func append(_ element: Element) {
        let leaf = lastLeaf
        insert(element, in: leaf, at: leaf.marks.count)
    }

    /// Appends elements to the last leaf, which has room for them.
    func fill(_ leaf: Node, with elements: some Collection<Element>) {
        leaf.elements.append(contentsOf: elements)
        for element in elements {
            leaf.marks.append(element.mark)
            onMove(element, leaf)
        }
        leaf.filled(with: elements.count)
        // Now, while they are at hand: the first who takes them all shall not wait for it.
        _ = leaf.weight
    }

    /// Inserts an element at a place of this leaf.
    package func insert(_ element: Element, in leaf: Node, at place: Int) {
        if leaf.elements.count == Self.leafCapacity / 2 {
            // Reserves the full capacity now: an array that grows by doubling would exceed it.
            leaf.elements.reserveCapacity(Self.leafCapacity + 1)
        }
        let mark = element.mark
        leaf.elements.put(element, at: place)
        leaf.marks.insert(mark, at: place)
        leaf.latestPlace = place
        leaf.note((0, element.quickWeight))
        leaf.inserted(Element.sum(of: mark), at: place)
        onMove(element, leaf)
        if leaf.marks.count > Self.leafCapacity { split(leaf, at: splitPoint(leaf, place)) }
    }

    /// In the middle, as a rule. Near the end if the element was inserted last, so that a table
    /// filled in order has full leaves.
    private func splitPoint(_ leaf: Node, _ place: Int) -> Int {
        place == leaf.count - 1 ? leaf.count * 7 / 8 : leaf.count / 2
    }

    /// Adds an empty leaf behind the last one.
    func extend(_ last: Node) -> Node {
        let leaf = Node(in: self, isLeaf: true)
        leaf.elements.reserveCapacity(Self.leafCapacity)
        attach(leaf, behind: last)
        return leaf
    }

    private func split(_ node: Node, at middle: Int) {
        let sibling = Node(in: self, isLeaf: node.isLeaf)
        move(node.width - middle, from: node, toStartOf: sibling)
        attach(sibling, behind: node)
    }

    private func attach(_ sibling: Node, behind node: Node) {
        guard let parent = node.parent else { return grow(node, sibling) }
        parent.children.insert(sibling, at: node.place + 1)
        parent.recount()
        parent.touch()
        if parent.children.count > Self.fanOut { split(parent, at: parent.children.count / 2) }
    }

    private func grow(_ left: Node, _ right: Node) {
        let top = Node(in: self, isLeaf: false)
        top.children.append(left)
        top.children.append(right)
        top.recount()
        root = top
    }

    /// Removes an element that is in `leaf`.
    package func remove(_ element: Element, in leaf: Node) {
        remove(at: place(of: element, in: leaf), in: leaf)
    }

    /// Removes the element at a place of this leaf, and returns it.
    @discardableResult
    package func remove(at place: Int, in leaf: Node) -> Element {
        let element = take(at: place, in: leaf)
        mend(leaf)
        return element
    }

    /// Takes an element away, after which the leaf may be too small: `mend` it when all else is done, since that moves elements
    /// from one leaf to another.
    package func take(at place: Int, in leaf: Node) -> Element {
        let element = leaf.elements.takeOut(at: place)
        let mark = leaf.marks.remove(at: place)
        leaf.note((element.quickWeight, 0))
        leaf.removed(Element.sum(of: mark), at: place)
        return element
    }

    /// Merges a node that has become small with its neighbour, or balances the two.
    @inline(__always)
    package func mend(_ node: Node) {
        if node.width < (node.isLeaf ? Self.leafCapacity : Self.fanOut) / 4 { enlarge(node) }
    }

    private func enlarge(_ node: Node) {
        guard let parent = node.parent else { return shrink() }
        guard parent.children.count > 1 else { return }
        let index = node.place
        let left = parent.children[index > 0 ? index - 1 : 0]
        let right = parent.children[index > 0 ? index : 1]
        let capacity = node.isLeaf ? Self.leafCapacity : Self.fanOut
        let total = left.width + right.width
        if total <= capacity * 3 / 4 {
            move(right.width, from: right, toEndOf: left)
            _ = parent.children.remove(at: index > 0 ? index : 1)
        } else if left.width < total / 2 {
            move(total / 2 - left.width, from: right, toEndOf: left)
        } else {
            move(left.width - total / 2, from: left, toStartOf: right)
        }
        parent.recount()
        parent.touch()
        mend(parent)
    }

    private func move(_ number: Int, from right: Node, toEndOf left: Node) {
        if left.isLeaf {
            let moved = right.elements.prefix(number)
            for element in moved { onMove(element, left) }
            left.elements.append(contentsOf: moved)
            left.marks.take(first: number, of: &right.marks)
            right.elements.removeFirst(number)
        } else {
            left.children.take(first: number, of: &right.children)
        }
        left.recount()
        right.recount()
    }

    private func move(_ number: Int, from left: Node, toStartOf right: Node) {
        if left.isLeaf {
            let moved = left.elements.suffix(number)
            for element in moved { onMove(element, right) }
            right.elements.insert(contentsOf: moved, at: 0)
            right.marks.take(last: number, of: &left.marks)
            left.elements.removeLast(number)
        } else {
            right.children.take(last: number, of: &left.children)
        }
        left.recount()
        right.recount()
    }

    /// Replaces a root that has one child by that child.
    private func shrink() {
        while root.children.count == 1 {
            root = root.children[0]
            root.parent = nil
        }
    }
}

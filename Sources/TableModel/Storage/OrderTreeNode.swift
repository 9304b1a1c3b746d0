// A node of the tree, and the sums of what is below it.

extension OrderTree {
    /// A node: a leaf with elements, or a branch with children.
    public final class Node {
        var elements: ContiguousArray<Element> = []
        var children: ContiguousArray<Node> = []
        /// The elements' marks. They are kept here because elements lie all over memory, and every
        /// edit adds some of the marks up.
        var marks: ContiguousArray<Element.Mark> = []
        /// The children's sums and counts. They are kept here for the same reason.
        var sums: ContiguousArray<Element.Sum> = []
        var counts: ContiguousArray<Int> = []
        /// Of a leaf: where an element was found or put last. Only a hint.
        var latestPlace = 0
        /// Of a leaf: the weight of its elements; negative: it is to be added up.
        private var knownWeight = -1
        /// The tree holds it, so nobody counts references to it.
        private var above: Unmanaged<Node>?
        /// Its place among its parent's children.
        var place = 0
        /// The tree that holds the node, so that an element's leaf leads to its section.
        var tree: OrderTree? {
            get { holder?.takeUnretainedValue() }
            set { holder = newValue.map { .passUnretained($0) } }
        }
        private var holder: Unmanaged<OrderTree>?
        var count = 0
        /// What the elements come to, unless `isDirty`. Then it is computed on request, so that nodes that
        /// are filled, split or merged cost one computation.
        private var sum = Element.Sum.empty
        /// `sum` is out of date.
        private var isDirty = false
        /// A bit for each child whose sum in `sums` is out of date.
        private var dirtyChildren: UInt64 = 0

        init(in tree: OrderTree?) {
            self.tree = tree
        }

        /// Lends the tree.
        @inline(__always)
        func withTree<Result>(_ body: (OrderTree) -> Result) -> Result? {
            holder?._withUnsafeGuaranteedRef { body($0) }
        }

        var isLeaf: Bool { children.isEmpty }
        var width: Int { isLeaf ? elements.count : children.count }

        /// The sum of one element or child.
        func sum(at place: Int) -> Element.Sum {
            isLeaf ? Element.sum(of: marks[place]) : sums[place]
        }

        /// An element of this leaf has changed; one that came was nothing before, one that went is nothing
        /// now. The sums of the leaf and of all nodes above it are brought up to date by the difference.
        ///
        /// - Parameters:
        ///   - front: `marks` are as they are now, and those that stand before the element end here.
        ///   - rest: those behind it begin here.
        ///   - weights: what the element weighed, and what it weighs; nil: that takes long to tell.
        func change(
            _ old: Element.Sum, to new: Element.Sum, front: Int, rest: Int,
            weights: (before: Int?, now: Int?)
        ) {
            note(weights)
            let end = marks.count
            let more = end - count
            count = end
            let before = sum
            let isKnown =
                !isDirty
                && marks.withUnsafeBufferPointer { marks in
                    sum.replace(
                        old, by: new, before: end - rest,
                        front: { Element.moved(marks.extracting(..<front)) },
                        rest: { Element.moved(marks.extracting(rest...)) })
                }
            if isKnown {
                withParent { $0.exchange(before, for: sum, at: place, countChange: more) }
            } else {
                isDirty = true
                withParent { $0.touch(child: place, countChange: more) }
            }
        }

        /// A child has come from one sum to another, and the number of its elements has changed by so many.
        /// All above is brought up to date too, unless it is to be computed on request anyway.
        private func exchange(
            _ old: Element.Sum, for new: Element.Sum, at child: Int, countChange: Int
        ) {
            if isDirty { return touch(child: child, countChange: countChange) }
            let before = sum
            let isKnown = sums.withUnsafeBufferPointer { sums in
                sum.replace(
                    old, by: new, before: elements(behind: child),
                    front: { Element.Sum.moved(sums.extracting(..<child)) },
                    rest: { Element.Sum.moved(sums.extracting((child + 1)...)) })
            }
            if !isKnown { return touch(child: child, countChange: countChange) }
            sums[child] = new
            counts[child] += countChange
            count += countChange
            withParent { $0.exchange(before, for: sum, at: place, countChange: countChange) }
        }

        /// So much of this leaf will change that its sum is added up anew afterwards, and not brought up to date
        /// with each change.
        func willChangeMuch() { isDirty = true }

        /// So many elements have come to this leaf. What it comes to is computed on request.
        func filled(with more: Int) {
            isDirty = true
            note((nil, nil))
            touch(countChange: more)
        }

        private func note(_ weights: (before: Int?, now: Int?)) {
            // Added up anew it would be a look at each row of a large table, where a checkpoint begins.
            if let before = weights.before, let now = weights.now, knownWeight >= 0 {
                knownWeight += now - before
            } else {
                knownWeight = -1
            }
        }

        /// Other nodes are below this one. Marks the sums above it as out of date: they are computed on request.
        func touch() { touch(countChange: 0) }

        private func touch(countChange: Int) {
            count += countChange
            withParent { $0.touch(child: place, countChange: countChange) }
        }

        private func touch(child: Int, countChange: Int) {
            counts[child] += countChange
            dirtyChildren |= 1 << UInt64(child)
            isDirty = true
            touch(countChange: countChange)
        }

        /// How many elements stand before this node's.
        var elementsBefore: Int {
            withParent { $0.elementsBefore + $0.counts[..<place].reduce(0, +) } ?? 0
        }

        var parent: Node? {
            get { above?.takeUnretainedValue() }
            set { above = newValue.map { .passUnretained($0) } }
        }

        /// Lends the parent. Whoever walks up at each change would else count a reference at each step.
        @inline(__always) @discardableResult
        private func withParent<Result>(_ body: (Node) -> Result) -> Result? {
            above?._withUnsafeGuaranteedRef { body($0) }
        }

        var summary: Element.Sum {
            if !isDirty { return sum }
            if isLeaf {
                sum = Element.total(of: marks, in: marks.indices)
            } else {
                addUpChildren()
            }
            isDirty = false
            return sum
        }

        private func addUpChildren() {
            while dirtyChildren != 0 {
                let index = dirtyChildren.trailingZeroBitCount
                dirtyChildren &= dirtyChildren &- 1
                sums[index] = children[index].summary
            }
            sum = total
        }

        /// How many elements stand behind a child; counted on the shorter side. The number of the child's own
        /// does not matter.
        private func elements(behind child: Int) -> Int {
            counts.withUnsafeBufferPointer { counts in
                var number = 0
                if child >= counts.count / 2 {
                    for place in child + 1..<counts.count { number &+= counts[place] }
                    return number
                }
                for place in 0...child { number &+= counts[place] }
                return count &- number
            }
        }

        /// What `sums` come to.
        private var total: Element.Sum { sums.reduce(into: .empty) { $0.append($1) } }

        /// Whoever has changed several elements below has brought `marks` and `sums` up to date.
        func sumsAreNew() {
            if isLeaf {
                isDirty = true
            } else {
                sum = total
            }
        }

        /// The weight of a leaf's elements.
        var weight: Int {
            if knownWeight < 0 { knownWeight = elements.reduce(0) { $0 + $1.weight } }
            return knownWeight
        }

        /// Brings the counts up to date after the children or elements have changed.
        func recount() {
            (isDirty, knownWeight) = (true, -1)
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
            sum = .empty
            dirtyChildren = (1 << UInt64(children.count)) - 1
        }
    }
}

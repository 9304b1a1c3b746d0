// A node of the tree, and the sums of what is below it.

extension OrderTree {
    /// A node: a leaf with elements, or a branch with children.
    package final class Node {
        let isLeaf: Bool
        /// The elements of a leaf: an array, which `runs()` shares.
        var elements: ContiguousArray<Element> = []
        /// The elements' marks. They are kept here because elements lie all over memory, and every
        /// edit adds some of the marks up.
        var marks: FixedList<Element.Mark>
        /// The children of a branch.
        var children: FixedList<Node>
        /// The children's sums and counts. They are kept here for the same reason.
        var sums: FixedList<Element.Sum>
        var counts: FixedList<Int>
        /// The place in a leaf where an element was found or put last. It is only a hint.
        var latestPlace = 0
        /// The weight of a leaf's elements; negative: it is to be added up.
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
        /// The sum of the elements, unless `isDirty`. Then it is computed on request, so that nodes that
        /// are filled, split or merged cost one computation.
        private var sum = Element.Sum.empty
        /// `sum` is out of date.
        private var isDirty = false
        /// A bit for each child whose sum in `sums` is out of date.
        private var dirtyChildren: UInt64 = 0

        /// One element more than a leaf may have, and one child more than a branch: then it is split.
        init(in tree: OrderTree?, isLeaf: Bool) {
            self.isLeaf = isLeaf
            marks = FixedList(capacity: isLeaf ? leafCapacity + 1 : 0)
            let branches = isLeaf ? 0 : fanOut + 1
            children = FixedList(capacity: branches)
            sums = FixedList(capacity: branches)
            counts = FixedList(capacity: branches)
            self.tree = tree
        }

        /// Lends the tree.
        @inline(__always)
        package func withTree<Result>(_ body: (OrderTree) -> Result) -> Result? {
            holder?._withUnsafeGuaranteedRef { body($0) }
        }

        var width: Int { isLeaf ? marks.count : children.count }

        /// The sum of one element or child.
        func sum(at place: Int) -> Element.Sum {
            isLeaf ? Element.sum(of: marks[place]) : sums[place]
        }

        // MARK: Changes

        /// The element at a place of this leaf has changed, and has this mark. The sums of the leaf and of all nodes
        /// above it are brought up to date by the difference.
        func remark(_ place: Int, _ mark: Element.Mark) {
            let (old, new) = (Element.sum(of: marks[place]), Element.sum(of: mark))
            marks[place] = mark
            guard Element.Sum.tellsDifferences, !isDirty else { return makeDirty(more: 0) }
            sum.exchange(old, for: new, before: marks.count - place - 1)
            changed(more: 0)
        }

        /// Brings the sums up to date after an element has come to a place.
        @inline(__always)
        func inserted(_ new: Element.Sum, at place: Int) {
            guard Element.Sum.tellsDifferences, !isDirty else { return makeDirty(more: 1) }
            exchange(.empty, for: new, front: place, behind: marks.count - place - 1)
            changed(more: 1)
        }

        /// Brings the sums up to date after an element has gone.
        @inline(__always)
        func removed(_ old: Element.Sum, at place: Int) {
            guard Element.Sum.tellsDifferences, !isDirty else { return makeDirty(more: -1) }
            exchange(old, for: .empty, front: place, behind: marks.count - place)
            changed(more: -1)
        }

        /// Exchanges an element for none, or none for one, between so many others.
        @inline(__always)
        private func exchange(_ old: Element.Sum, for new: Element.Sum, front: Int, behind: Int) {
            if front < behind {
                let side = Element.side(marks.all.extracting(..<front))
                sum.exchange(old, for: new, before: behind, front: side)
            } else {
                let side = Element.side(marks.all.extracting((marks.count - behind)...))
                sum.exchange(old, for: new, before: behind, rest: side)
            }
        }

        /// This leaf has come to `sum`. Brings all above up to date too, unless it is to be computed on request
        /// anyway.
        private func changed(more: Int) {
            count += more
            let leaf = Unmanaged.passUnretained(self)
            var (child, start) = (leaf, 0)
            // Unsafe: a loop over references would count each. The tree holds all nodes meanwhile.
            while let parent = child._withUnsafeGuaranteedRef({ $0.above }) {
                let before = parent._withUnsafeGuaranteedRef { parent in
                    child._withUnsafeGuaranteedRef { parent.take($0.sum, at: $0.place, more) }
                }
                guard let before else { return }
                start += before
                child = parent
            }
            withTree { $0.noteLatest(leaf, start: start) }
        }

        /// The child at a place has come to a sum, and the number of its elements has changed by so many. Returns how
        /// many elements stand before it; nil: all above is computed on request.
        @inline(__always)
        private func take(_ new: Element.Sum, at child: Int, _ more: Int) -> Int? {
            if isDirty {
                touch(child: child, countChange: more)
                return nil
            }
            let behind = elements(behind: child)
            let old = sums[child]
            if more == 0 {
                sum.exchange(old, for: new, before: behind)
            } else if child < sums.count / 2 {
                let side = Element.Sum.side(sums.all.extracting(..<child))
                sum.exchange(old, for: new, before: behind, front: side)
            } else {
                let side = Element.Sum.side(sums.all.extracting((child + 1)...))
                sum.exchange(old, for: new, before: behind, rest: side)
            }
            sums[child] = new
            let before = count &- behind &- counts[child]
            counts[child] += more
            count += more
            return before
        }

        @inline(never)
        private func makeDirty(more: Int) {
            isDirty = true
            touch(countChange: more)
        }

        /// So much of this leaf will change that its sum is added up anew afterwards, and not brought up to date
        /// with each change.
        func willChangeMuch() { isDirty = true }

        /// Exchanges the elements of this leaf for as many others, whose marks it has already. What it comes to is
        /// computed on request.
        func exchange(
            with others: inout ContiguousArray<Element>, weights: (before: Int?, now: Int?)
        ) {
            precondition(others.count == elements.count, "as many elements as before")
            swap(&elements, &others)
            note(weights)
            makeDirty(more: 0)
        }

        /// So many elements have come to this leaf. What it comes to is computed on request.
        func filled(with more: Int) {
            note((nil, nil))
            makeDirty(more: more)
        }

        /// Notes the weight of an element before and after a change; nil: it takes long to tell.
        func note(_ weights: (before: Int?, now: Int?)) {
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
            withTree { $0.forgetLatest() }
            withParent { $0.touch(child: place, countChange: countChange) }
        }

        private func touch(child: Int, countChange: Int) {
            let bit: UInt64 = 1 << UInt64(child)
            // All above is marked already.
            if countChange == 0, isDirty, dirtyChildren & bit != 0 { return }
            counts[child] += countChange
            dirtyChildren |= bit
            isDirty = true
            touch(countChange: countChange)
        }

        // MARK: Places

        /// How many elements stand before this node's.
        var elementsBefore: Int {
            var before = 0
            var child = Unmanaged.passUnretained(self)
            // Unsafe, for the same reason as above.
            while let parent = child._withUnsafeGuaranteedRef({ $0.above }) {
                let place = child._withUnsafeGuaranteedRef { $0.place }
                before += parent._withUnsafeGuaranteedRef { $0.elements(before: place) }
                child = parent
            }
            return before
        }

        /// How many elements stand before a child; counted on the shorter side.
        @inline(__always)
        private func elements(before child: Int) -> Int {
            let counts = counts.all
            if child > counts.count / 2 { return count &- Self.total(counts.extracting(child...)) }
            return Self.total(counts.extracting(..<child))
        }

        /// How many elements stand behind a child; counted on the shorter side. The number of the child's own
        /// does not matter.
        @inline(__always)
        private func elements(behind child: Int) -> Int {
            let counts = counts.all
            if child < counts.count / 2 { return count &- Self.total(counts.extracting(...child)) }
            return Self.total(counts.extracting((child + 1)...))
        }

        @inline(__always)
        private static func total(_ counts: UnsafeBufferPointer<Int>) -> Int {
            var total = 0
            for count in counts { total &+= count }
            return total
        }

        var parent: Node? {
            get { above?.takeUnretainedValue() }
            set { above = newValue.map { .passUnretained($0) } }
        }

        /// Lends the parent. Whoever walks up would else count a reference at each step.
        @inline(__always) @discardableResult
        private func withParent<Result>(_ body: (Node) -> Result) -> Result? {
            above?._withUnsafeGuaranteedRef { body($0) }
        }

        // MARK: Sums

        var summary: Element.Sum {
            if !isDirty { return sum }
            if isLeaf {
                sum = Element.total(of: marks.all)
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

        /// The total of `sums`.
        private var total: Element.Sum { sums.all.reduce(into: .empty) { $0.append($1) } }

        /// A caller that has changed several elements below has brought `marks` and `sums` up to date.
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
                count = marks.count
                return
            }
            sums.removeAll()
            counts.removeAll()
            count = 0
            for (place, child) in children.all.enumerated() {
                child.parent = self
                child.place = place
                counts.append(child.count)
                sums.append(.empty)
                count += child.count
            }
            sum = .empty
            dirtyChildren = (1 << UInt64(children.count)) - 1
        }
    }
}

// Running sums, changes of many elements at once, and a check of the tree.

extension OrderTree {
    /// Appends elements after all others, a leaf at a time.
    package func append(contentsOf elements: [Element]) {
        var rest = elements[...]
        // As full as leaves are after single appends: this leaves room for inserts.
        let most = Self.leafCapacity * 7 / 8
        var leaf = lastLeaf
        while !rest.isEmpty {
            if leaf.count >= most { leaf = extend(leaf) }
            let some = rest.prefix(most - leaf.count)
            fill(leaf, with: some)
            rest = rest.dropFirst(some.count)
        }
    }
}

extension OrderTree {
    /// The sum of all elements before this one, which is in `leaf`; O(log n).
    package func sum(before element: Element, in leaf: Node) -> Element.Sum {
        // Brings the sums of every branch up to date.
        _ = root.summary
        var sum = sum(before: leaf)
        for place in 0..<place(of: element, in: leaf) {
            sum.append(Element.sum(of: leaf.marks[place]))
        }
        return sum
    }

    private func sum(before node: Node) -> Element.Sum {
        guard let parent = node.parent else { return .empty }
        var sum = sum(before: parent)
        for place in 0..<node.place { sum.append(parent.sums[place]) }
        return sum
    }

    /// Finds the first element at which the running sum is enough. Also returns its index, and the
    /// sum of the elements before it. Nil if the sum of all is not enough. O(log n).
    ///
    /// If `isEnough` holds for a sum, it must hold for every longer one.
    package func first(
        where isEnough: (Element.Sum) -> Bool
    ) -> (element: Element, index: Int, before: Element.Sum)? {
        guard isEnough(root.summary) else { return nil }
        var node = root
        var before = Element.Sum.empty
        var index = 0
        descent: while true {
            for place in 0..<node.width {
                var next = before
                next.append(node.sum(at: place))
                if isEnough(next) {
                    if node.isLeaf { return (node.elements[place], index + place, before) }
                    node = node.children[place]
                    continue descent
                }
                before = next
                if !node.isLeaf { index += node.counts[place] }
            }
            // Only if `isEnough` breaks its promise.
            return nil
        }
    }

    /// Shows `body` the elements for which `matches` holds, in order, until it answers false; false: it did. O(log n) for
    /// the first, and whole runs without any are passed over. `matches` must hold for the sum of a run if it holds for
    /// one element of the run.
    @discardableResult
    package func visit(where matches: (Element.Sum) -> Bool, _ body: (Element) -> Bool) -> Bool {
        !matches(root.summary) || visit(root, matches, body)
    }

    private func visit(
        _ node: Node, _ matches: (Element.Sum) -> Bool, _ body: (Element) -> Bool
    ) -> Bool {
        // The root's summary has brought the sums of every branch up to date.
        for place in 0..<node.width where matches(node.sum(at: place)) {
            let goesOn =
                node.isLeaf
                ? body(node.elements[place]) : visit(node.children[place], matches, body)
            if !goesOn { return false }
        }
        return true
    }

    /// Lets `body` change the elements for which `matches` holds, first to last, and updates the
    /// sums. O(log n) for each element, and less if they are neighbours.
    ///
    /// - Parameters:
    ///   - matches: must hold for the sum of a run if it holds for one element of the run.
    ///   - end: only elements with smaller indexes are changed.
    ///   - limit: changes at most this many elements.
    ///   - body: must not change the tree.
    /// - Returns: the number of changed elements.
    @discardableResult
    package func update(
        where matches: (Element.Sum) -> Bool, before end: Int = .max, atMost limit: Int = .max,
        _ body: (Element) -> Void
    ) -> Int {
        var rest = limit
        update(root, before: end, atMost: &rest, matches, body)
        return limit - rest
    }

    private func update(
        _ node: Node, before end: Int, atMost rest: inout Int, _ matches: (Element.Sum) -> Bool,
        _ body: (Element) -> Void
    ) {
        guard end > 0, rest > 0, matches(node.summary) else { return }
        if node.isLeaf {
            for place in 0..<min(end, node.elements.count)
            where rest > 0 && matches(node.sum(at: place)) {
                body(node.elements[place])
                node.marks[place] = node.elements[place].mark
                rest -= 1
            }
        } else {
            var start = 0
            for place in node.children.indices {
                // Tests the sum, which is up to date here: the child is far away in memory.
                if matches(node.sums[place]) {
                    let child = node.children[place]
                    update(child, before: end - start, atMost: &rest, matches, body)
                    node.sums[place] = child.summary
                }
                start += node.counts[place]
            }
        }
        node.sumsAreNew()
    }
}

extension OrderTree {
    /// Checks every count, parent and fill, for tests and `trestle check`. Nil if all is well.
    package func fault() -> String? {
        var depths: Set<Int> = []
        return fault(in: root, depth: 0, &depths) ?? (depths.count > 1 ? "uneven depth" : nil)
    }

    private func fault(in node: Node, depth: Int, _ depths: inout Set<Int>) -> String? {
        if node.isLeaf {
            depths.insert(depth)
            if node.count != node.elements.count { return "wrong count in a leaf" }
            if node.count != node.marks.count { return "wrong number of marks in a leaf" }
            return node.count > Self.leafCapacity ? "leaf too large" : nil
        }
        if Array(node.counts.all) != node.children.all.map(\.count) { return "wrong counts" }
        if node.count != node.counts.all.reduce(0, +) { return "wrong count" }
        if node.children.count > Self.fanOut { return "branch too large" }
        for (place, child) in node.children.all.enumerated() {
            if child.parent !== node { return "wrong parent" }
            if child.place != place { return "wrong place" }
            if child.count == 0 { return "empty child" }
            if let fault = fault(in: child, depth: depth + 1, &depths) { return fault }
        }
        return nil
    }
}

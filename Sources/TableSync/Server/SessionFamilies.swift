// The owners in the book of remembered answers, and the choice of one to evict when it is full.

extension SessionBook {
    /// So much more is remembered of a member.
    mutating func count(_ more: Size, at place: Int) {
        families[members[place].family].size += more
        total += more
    }

    /// A bounded amount.
    private enum Part { case clients, answers, bytes }

    /// Bounds what a family has, and what all have: who has most loses its oldest.
    mutating func keepTogether(of family: Int, _ bounds: Sessions.Bounds) {
        keep(.clients, of: family, most: bounds.clients)
        keep(.answers, of: family, most: bounds.answers)
        keep(.bytes, of: family, most: bounds.bytes)
    }

    private mutating func keep(_ part: Part, of family: Int, most: Int) {
        // Without children it is bounded by itself.
        let isBounded = families[family].children == 0
        while !isBounded, size(part, families[family].size) > Self.mostOfFamily * most {
            if !forgetOldest(part, of: family) { break }
        }
        while size(part, total) > Self.mostTogether * most {
            let largest = families.indices.max {
                size(part, families[$0].size) < size(part, families[$1].size)
            }
            guard let largest, forgetOldest(part, of: largest) else { break }
        }
    }

    private func size(_ part: Part, _ size: Size) -> Int {
        switch part {
        case .clients: size.clients
        case .answers: size.answers
        case .bytes: size.bytes
        }
    }

    /// Whether there may be more to forget at once. Of clients and answers there is not: one has come, or a
    /// limit became smaller, and then one goes for each that comes.
    private mutating func forgetOldest(_ part: Part, of family: Int) -> Bool {
        var (largest, most, usedAt): (Int, Int, UInt64) = (0, -1, 0)
        for place in members.indices where members[place].family == family {
            let size = size(part, members[place].size)
            let used = members[place].sessions.usedAt
            // The quietest goes of several that have as much.
            if size > most || (size == most && used < usedAt) {
                (largest, most, usedAt) = (place, size, used)
            }
        }
        let before = members[largest].size
        var isMore = false
        if part == .bytes {
            isMore = members[largest].sessions.emptyOldest()
        } else {
            members[largest].sessions.forgetOldest()
        }
        count(members[largest].size - before, at: largest)
        return isMore
    }

    // MARK: Who comes

    mutating func place(making owner: Sessions.Owner) -> Int {
        if let place = places[owner] { return place }
        let root = owner.root
        let isChild = root != owner
        let family = family(making: root)
        if isChild {
            makeRoom(in: family)
            families[family].children += 1
            children += 1
        }
        let sessions = isChild ? freshChild(of: family) : fresh
        members.append(Member(owner, sessions, family: family, isChild: isChild))
        places[owner] = members.count - 1
        return members.count - 1
    }

    mutating func family(making root: Sessions.Owner) -> Int {
        if let family = placesOfFamilies[root] { return family }
        if families.count > Self.mostPrincipals { forgetQuietestFamily() }
        families.append(Family(root))
        placesOfFamilies[root] = families.count - 1
        return families.count - 1
    }

    // MARK: Who goes

    /// For one more child, who takes the place of the sibling that was quiet the longest. Where all have
    /// too many it is of the largest family.
    private mutating func makeRoom(in family: Int) {
        var crowded = family
        if families[family].children < Self.mostChildren {
            if children < Self.mostChildrenTogether { return }
            crowded =
                families.indices.max { families[$0].children < families[$1].children } ?? family
        }
        var (quietest, position): (Int?, UInt64) = (nil, .max)
        for place in members.indices
        where members[place].family == crowded && members[place].isChild {
            let usedAt = members[place].sessions.usedAt
            if usedAt < position { (quietest, position) = (place, usedAt) }
        }
        if let quietest { forgetChild(at: quietest) }
    }

    private mutating func forgetChild(at place: Int) {
        let family = members[place].family
        let position = fresh.forgotten(members[place].sessions)
        families[family].forgottenTo = max(families[family].forgottenTo, position)
        remove(place)
    }

    /// Forgets the family that was quiet the longest.
    private mutating func forgetQuietestFamily() {
        var usedAt = [UInt64](repeating: 0, count: families.count)
        for member in members {
            usedAt[member.family] = max(usedAt[member.family], member.sessions.usedAt)
        }
        guard let quietest = families.indices.dropFirst().min(by: { usedAt[$0] < usedAt[$1] })
        else { return }
        var position = max(fresh.evictedTo, families[quietest].forgottenTo)
        for place in members.indices.reversed() where members[place].family == quietest {
            position = max(position, fresh.forgotten(members[place].sessions))
            remove(place)
        }
        fresh.restored(evictedTo: position)
        placesOfFamilies[families[quietest].root] = nil
        let last = families.count - 1
        if quietest != last {
            families[quietest] = families[last]
            placesOfFamilies[families[quietest].root] = quietest
            for place in members.indices where members[place].family == last {
                members[place].family = quietest
            }
        }
        families.removeLast()
    }

    /// The last one takes its place.
    private mutating func remove(_ place: Int) {
        let gone = members[place]
        count(Size() - gone.size, at: place)
        if gone.isChild {
            families[gone.family].children -= 1
            children -= 1
        }
        places[gone.owner] = nil
        let last = members.count - 1
        if place != last {
            members[place] = members[last]
            places[members[place].owner] = place
        }
        members.removeLast()
        latest = nil
    }

    /// Looks once an hour for children that have been quiet for `mostSweeps` looks, and forgets them: devices that
    /// were taken off a gateway's list. Their commands are not run again. `nowMs` is monotonic.
    mutating func sweep(nowMs: UInt64) {
        guard nowMs >= sweptMs + Self.sweepMs else { return }
        sweptMs = nowMs
        for place in members.indices.reversed() where members[place].isChild {
            let usedAt = members[place].sessions.usedAt
            if members[place].sweptAt != usedAt {
                (members[place].sweptAt, members[place].sweeps) = (usedAt, 0)
            }
            members[place].sweeps += 1
            if members[place].sweeps > Self.mostSweeps { forgetChild(at: place) }
        }
    }
}

"""Whether what writers saw is one history in real time: each change has one place in it, behind all that were
answered before it was sent."""


class Seen:
    """One acknowledged command: when it was first sent and when answered, and the revision that it was."""

    def __init__(self, name, sent, answered, revision):
        self.name, self.sent, self.answered, self.revision = name, sent, answered, revision


def violations(writes, reads=(), stale=0.0):
    """What does not fit, in words. `reads` are (sent, revision) of a look at any daemon, which may be so old
    that it lacks what was answered `stale` seconds before it was sent, and no older."""
    found, places = [], {}
    for one in writes:
        if one.revision in places:
            found.append(f"{one.name} and {places[one.revision]} are both revision {one.revision}")
        places[one.revision] = one.name
    answers = sorted(writes, key=lambda one: one.answered)

    def newest():
        """The newest revision that was answered by then, asked in the order of time."""
        at, best = 0, None

        def of(when):
            nonlocal at, best
            while at < len(answers) and answers[at].answered < when:
                if best is None or answers[at].revision > best.revision:
                    best = answers[at]
                at += 1
            return best
        return of

    before = newest()
    for one in sorted(writes, key=lambda one: one.sent):
        best = before(one.sent)
        if best and best.revision > one.revision:
            found.append(f"{one.name} is revision {one.revision}, and was sent after {best.name} was answered "
                         f"as {best.revision}")
    before = newest()
    for sent, revision in sorted(reads):
        best = before(sent - stale)
        if best and best.revision > revision:
            found.append(f"a look showed {revision} after {best.name} was answered as {best.revision}")
    return found

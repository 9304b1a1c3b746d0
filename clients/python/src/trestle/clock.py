"""The daemon's time at a viewer, whatever the clock of the viewer's machine says."""

from collections import deque


class DaemonClock:
    """Each heartbeat says when it was sent, and is heard later than that: of the latest ones the one that was under way
    for the shortest time counts. Times are in milliseconds; `now` is that of a clock that does not go back."""

    def __init__(self) -> None:
        self._heads: deque[float] = deque(maxlen=16)

    def heard(self, time_ms: int, now: float) -> None:
        """A heartbeat with this time was heard."""
        if time_ms > 0:
            self._heads.append(time_ms - now)

    def time_ms(self, now: float, wall_ms: float) -> float:
        """Milliseconds since 1970 (UTC) at the daemon. `wall_ms`: here, which is all that is known at first."""
        return now + max(self._heads) if self._heads else wall_ms

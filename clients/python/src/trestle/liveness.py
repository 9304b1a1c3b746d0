"""Whether a subscription is alive: what was heard when, and when to subscribe anew."""

from collections.abc import Callable
from typing import Literal


class Liveness:
    """Times are in seconds, by the clock of the follower. `heartbeat`: between two of the daemon's."""

    def __init__(self, now: float, heartbeat: float, jitter: Callable[[], float]) -> None:
        self.heartbeat = heartbeat
        self.is_connected = False
        self.resubscribe = False
        """The owner is to subscribe anew, and to take this back."""
        self._jitter = jitter
        self._heard: float | None = None
        self._asked = now  # when it subscribed last
        self._silences = 0  # how often in a row it subscribed for nothing

    def heard(self, now: float) -> None:
        """Something was published."""
        self._heard, self.is_connected, self._silences = now, True, 0

    def freshness(self, now: float) -> Literal["live", "stale", "disconnected"]:
        """How fresh what is published can be: not live after three heartbeats that did not come."""
        if self._heard is None or not self.is_connected:
            return "disconnected"
        return "stale" if now - self._heard > 3 * self.heartbeat else "live"

    def subscribe_at(self) -> float:
        """When to subscribe anew, which is answered: after two heartbeats, then ever more slowly."""
        heard = self._heard if self._heard is not None else self._asked
        pause = min(8.0, 2.0 ** (1 + self._silences))
        return max(heard, self._asked) + pause * self.heartbeat

    def look(self, now: float) -> None:
        """Sets `resubscribe` if it is time."""
        if now >= self.subscribe_at():
            self.resubscribe, self._silences = True, min(self._silences + 1, 9)
            self._asked = now + self.heartbeat * 0.5 * self._jitter()

"""Sockets: which endpoints, with which options. Nothing here knows what a message means."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import zmq
from zmq.utils.monitor import recv_monitor_message

from .wire import MAX_MESSAGE, Behalf

BUILT_IN = "ipc:///run/trestle/request.sock"
QUEUE = 1000
"""Messages that wait at each end of a connection."""
ENDED = (zmq.EVENT_DISCONNECTED | zmq.EVENT_CLOSED | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
         | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH)
"""What is told of a connection that is none, or none any more."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Keys of CURVE, 40 characters of Z85 each: the server's public one, and both of the client."""

    server_key: bytes
    public_key: bytes
    secret_key: bytes = field(repr=False)

    @classmethod
    def new(cls, server_key: bytes) -> Self:
        """With a new pair of keys for the client."""
        public_key, secret_key = zmq.curve_keypair()
        return cls(server_key, public_key, secret_key)


@dataclass(frozen=True, slots=True)
class Options:
    """How to connect.

    `endpoints`: request endpoints of one daemon, or of several that are one service; the next is taken at once where
    the connection ends, when one is silent for `failover` seconds, and the one that writes when it is told which. `publish`:
    the publish endpoint, where it is another one than `hello` says. `behalf`: on whose behalf all
    requests are.
    """

    endpoints: tuple[str, ...] = (BUILT_IN,)
    publish: str | None = None
    curve: Curve | None = None
    failover: float = 1.0
    behalf: Behalf | None = None


def listed(*texts: str) -> tuple[str, ...]:
    """Endpoints of texts, in each of which several may stand with commas."""
    return tuple(one.strip() for text in texts for one in text.split(",") if one.strip())


def endpoints_of(*given: str) -> tuple[str, ...]:
    """The endpoints that are given, else those of `TRESTLE_ENDPOINT`, else the machine's daemon's. ValueError: one is none."""
    endpoints = listed(*given) or given or listed(os.environ.get("TRESTLE_ENDPOINT", "")) or (BUILT_IN,)
    for one in endpoints:
        if "://" not in one:
            raise ValueError(f"{one!r} is no endpoint: write ipc://PATH or tcp://HOST:PORT")
    return endpoints


def connect_to(socket: zmq.Socket[Any], endpoint: str) -> None:
    """Connects a socket. ValueError: this is no endpoint."""
    try:
        socket.connect(endpoint)
    except zmq.ZMQError as why:
        raise ValueError(f"{endpoint!r} is no endpoint: {why.strerror}") from None


def open_socket(context: zmq.Context[Any], kind: int, options: Options) -> zmq.Socket[Any]:
    """A socket that is not connected yet. It takes no message above the bound."""
    socket: zmq.Socket[Any] = context.socket(kind)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE)
    socket.setsockopt(zmq.SNDHWM, QUEUE)
    socket.setsockopt(zmq.RCVHWM, QUEUE)
    if kind == zmq.DEALER:
        # libzmq would make a new connection by itself, and send on it what had not left, before what was lost.
        socket.setsockopt(zmq.RECONNECT_IVL, -1)
    else:
        socket.setsockopt(zmq.RECONNECT_IVL, 50)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 1000)
    socket.setsockopt(zmq.HEARTBEAT_IVL, 2000)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, 6000)
    if curve := options.curve:
        socket.setsockopt(zmq.CURVE_SERVERKEY, curve.server_key)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, curve.public_key)
        socket.setsockopt(zmq.CURVE_SECRETKEY, curve.secret_key)
    return socket


def publish_endpoint(options: Options, request: str, offered: Sequence[str]) -> str | None:
    """Where publications are to be had: of the request endpoint's transport, if one is. None: nowhere."""
    if options.publish:
        return options.publish
    if options.curve and any(one.startswith("curve+") for one in offered):
        # A daemon that serves all addresses of its machine cannot say which one we know it by.
        host = request.rpartition(":")[0]
        sealed = [one.removeprefix("curve+") for one in offered if one.startswith("curve+")]
        same = [one for one in sealed if one.rpartition(":")[0] == host]
        port = next((one.rpartition(":")[2] for one in [*same, *sealed]), None)
        return f"{host}:{port}" if port else None
    offered = [one for one in offered if not one.startswith("curve+")]
    transport = request.partition("://")[0] + "://"
    same = [one for one in offered if one.startswith(transport)]
    return next(iter([*same, *offered]), None)


class Connection:
    """A socket with its monitor, while there is one."""

    def __init__(self, context: zmq.Context[Any], options: Options) -> None:
        self._context, self._options = context, options
        self.socket: zmq.Socket[Any] | None = None
        self.monitor: zmq.Socket[Any] | None = None

    def receive(self) -> list[bytes] | None:
        """The frames of the next message, if one is there."""
        try:
            return self.socket.recv_multipart(zmq.DONTWAIT) if self.socket else None
        except zmq.Again:
            return None

    def close(self) -> None:
        """Lets go of the connection, and of all that is on its way."""
        if self.socket:
            self.socket.disable_monitor()
            if self.monitor:
                self.monitor.close()
            self.socket.close()
        self.socket = self.monitor = None


class Requests(Connection):
    """The DEALER of a client, at one endpoint at a time. It is connected once: its owner makes another connection."""

    def __init__(self, context: zmq.Context[Any], options: Options) -> None:
        super().__init__(context, options)
        self._at = -1
        self.failures = 0
        """Attempts to connect and connections that ended, since one was made."""
        self.renew(rotate=True)

    @property
    def endpoint(self) -> str:
        """The one that it is connected to, or tries to."""
        return self._options.endpoints[self._at]

    def renew(self, rotate: bool, to: Sequence[str] = ()) -> None:
        """A new connection: to one of `to` that is known, else to the next endpoint or to the same."""
        self.close()
        known = [one for one in to if one in self._options.endpoints]
        if known:
            self._at = self._options.endpoints.index(known[0])
        elif rotate:
            self._at = (self._at + 1) % len(self._options.endpoints)
        self.socket = open_socket(self._context, zmq.DEALER, self._options)
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | ENDED)
        try:
            connect_to(self.socket, self.endpoint)
        except ValueError:
            self.close()
            raise

    def has_ended(self) -> bool:
        """Whether the connection has ended, or could not be made. Then it is closed."""
        while self.monitor and int(self.monitor.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            if recv_monitor_message(self.monitor)["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.failures = 0
            else:
                self.failures += 1
                self.close()
                return True
        return False

    def send(self, frames: list[bytes]) -> None:
        """Sends, or drops it where the daemon is away: it is sent again as if it had been lost."""
        try:
            if self.socket:
                self.socket.send_multipart(frames, zmq.DONTWAIT)
        except zmq.Again:
            pass


class Publications(Connection):
    """A SUB for one topic, and news of its connection."""

    def __init__(self, context: zmq.Context[Any], options: Options, topic: bytes) -> None:
        super().__init__(context, options)
        self.topic = topic
        self.endpoint: str | None = None

    def connect(self, endpoint: str) -> None:
        """Subscribes at this endpoint, instead of any other."""
        self.close()
        self.endpoint = endpoint
        self.socket = open_socket(self._context, zmq.SUB, self._options)
        self.monitor = self.socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
        self.socket.subscribe(self.topic)
        connect_to(self.socket, endpoint)

    def again(self) -> None:
        """A new subscription. It is answered by a welcome."""
        if self.socket:
            self.socket.unsubscribe(self.topic)
            self.socket.subscribe(self.topic)

    def is_up(self) -> bool | None:
        """Whether the connection came or went since the last call; None: neither."""
        up: bool | None = None
        while self.monitor and self.monitor.poll(0):
            up = recv_monitor_message(self.monitor)["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED
        return up

    def close(self) -> None:
        """Lets go of the connection."""
        super().close()
        self.endpoint = None

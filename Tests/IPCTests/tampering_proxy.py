"""A proxy between a client and the daemon. It records all bytes that pass, and may change some of them."""

import select
import socket


class TamperingProxy:
    """Takes one connection to `address` after the other, and passes its bytes on by `change(who, place, data)`."""

    def __init__(self, address):
        self.address = address
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heard = {"client": bytearray(), "daemon": bytearray()}

    def pass_on(self, seconds, change=lambda who, place, data: data):
        """Until one of them hangs up, or nothing is said for so long."""
        self.heard = {"client": bytearray(), "daemon": bytearray()}
        self.listener.settimeout(5)
        with self.listener.accept()[0] as client, socket.create_connection(self.address, timeout=5) as daemon:
            client.settimeout(5)
            other = {client: ("client", daemon), daemon: ("daemon", client)}
            try:
                while ready := select.select(list(other), [], [], seconds)[0]:
                    for end in ready:
                        who, to = other[end]
                        data = end.recv(65_536)
                        if not data:
                            return
                        place = len(self.heard[who])
                        self.heard[who] += data
                        to.sendall(change(who, place, data))
            except OSError:
                return

    def close(self):
        self.listener.close()


def flipping(dice, flips, most):
    """A change that flips so many bits in what the client says first."""
    places = {dice.randrange(most): 1 << dice.randrange(8) for _ in range(flips)}

    def change(who, place, data):
        if who != "client":
            return data
        changed = bytearray(data)
        for at, bit in places.items():
            if place <= at < place + len(data):
                changed[at - place] ^= bit
        return bytes(changed)

    return change

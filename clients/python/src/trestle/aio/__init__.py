"""The client for asyncio. The same names as in `trestle`, to be awaited.

    async with trestle.aio.connect() as client:
        await client.board("board").add("Soup", section="grill")
"""

from .client import Client, connect
from .viewer import Viewer

__all__ = ["Client", "Viewer", "connect"]

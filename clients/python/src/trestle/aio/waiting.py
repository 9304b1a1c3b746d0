"""Waiting for events, with an end."""

import asyncio

LONGEST = 0.25
"""Seconds after which the pump looks by itself what is due."""


async def wait_for(event: asyncio.Event, seconds: float) -> bool:
    """Waits for the event; whether it came in time."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            return await event.wait()
    except TimeoutError:
        return False

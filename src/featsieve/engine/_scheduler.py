"""Whether a scheduler answers, asked before anything waits for it."""

from __future__ import annotations

import asyncio
import threading

from featsieve.engine._errors import ClusterError

__all__ = ["check_scheduler"]


def check_scheduler(address: str, seconds: float) -> None:
    """Raise unless a scheduler of Dask answers at an address within some seconds.

    Dask's own client waits for ever for somebody who takes the call and says nothing.
    """
    found: list[BaseException | None] = []

    def ask() -> None:
        try:
            asyncio.run(_ask(address, seconds))
        except BaseException as error:
            found.append(error)
        else:
            found.append(None)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds + 1)
    if found == [None]:
        return
    if found and isinstance(found[0], ValueError):
        message = (
            f"{address!r} is no address of a scheduler: {found[0]}. Say one such as "
            "tcp://host:8786."
        )
        raise ValueError(message)
    message = (
        f"No scheduler of Dask answers at {address!r} within {seconds:g} seconds. "
        "Check the address, and that the cluster is running."
    )
    raise ClusterError(message)


async def _ask(address: str, seconds: float) -> None:
    from distributed import Security, rpc  # noqa: PLC0415 - an extra

    keys = Security().get_connection_args("client")
    async with rpc(address, timeout=seconds, connection_args=keys) as scheduler:
        about = await asyncio.wait_for(scheduler.identity(), seconds)
    if about.get("type") != "Scheduler":
        message = f"a {about.get('type', 'stranger')} of Dask answers there"
        raise ValueError(message)

"""Home Assistant finds the voice hook by itself."""

from __future__ import annotations

import asyncio

from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import demo_setting
from iris_harness.surfaces.counters import Counters
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.voice.announce import SERVICE_TYPE, Announcement
from iris_harness.surfaces.voice.service import VoiceService

HERE = ["127.0.0.1"]


def test_the_voice_hook_is_found_while_it_runs() -> None:
    async def find(port: int) -> AsyncServiceInfo | None:
        async with AsyncZeroconf(interfaces=HERE) as asked:
            name = f"iris-{port}.{SERVICE_TYPE}"
            return await asked.async_get_service_info(SERVICE_TYPE, name, timeout=5000)

    async def run(desk: Desk) -> tuple[int, AsyncServiceInfo | None]:
        voice = VoiceService("127.0.0.1", 0)
        announcement = Announcement(voice, HERE)
        await voice.start(desk)
        await announcement.start(desk)
        _, port = voice.endpoint
        found = await find(port)
        await announcement.stop()
        await voice.stop()
        return port, found

    with Iris(demo_setting()) as iris:
        port, found = asyncio.run(run(Desk(iris, Counters(), workers=1)))
    assert found is not None
    assert found.port == port
    assert found.parsed_addresses() == HERE

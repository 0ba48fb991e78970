import asyncio

import pytest


async def double(n):
    await asyncio.sleep(0.001)
    return 2 * n


def test_run():
    assert asyncio.run(double(2)) == 4


def test_gather():
    async def main():
        return await asyncio.gather(*(double(n) for n in range(5)))

    assert asyncio.run(main()) == [0, 2, 4, 6, 8]


def test_timeout():
    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.sleep(9), 0.01)

    asyncio.run(main())


def test_fails_inside():
    async def main():
        assert await double(1) == 3

    asyncio.run(main())


def test_task_group():
    async def main():
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(double(n)) for n in (1, 2)]
        return [task.result() for task in tasks]

    assert asyncio.run(main()) == [2, 4]

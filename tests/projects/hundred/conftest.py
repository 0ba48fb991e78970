import pytest


@pytest.fixture(scope="session")
def numbers():
    return list(range(5))


@pytest.fixture(params=["red", "green"], ids=str.upper)
def colour(request):
    return request.param


@pytest.fixture
def account(capsys):
    print("opened")
    yield {"balance": 10}
    print("closed")


@pytest.fixture
def broken():
    raise RuntimeError("the fixture broke")


@pytest.fixture
def ends_badly():
    yield 1
    raise RuntimeError("the teardown broke")


def pytest_report_header(config):
    return "project: hundred"


def pytest_collection_modifyitems(items):
    for item in items:
        if "network" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="no network in this project"))

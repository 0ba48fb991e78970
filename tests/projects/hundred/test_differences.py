from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int


def test_lists():
    assert [1, 2, 3, 5] == [1, 2, 4, 5]


def test_dicts():
    assert {"a": 1, "b": {"c": [1, 2]}} == {"a": 1, "b": {"c": [1, 3]}, "d": 0}


def test_sets():
    assert {1, 2, 3} == {2, 3, 4}


def test_text():
    assert "one\ntwo\nthree\n" == "one\n2\nthree\n"


def test_long_text():
    assert "x" * 200 + "a" == "x" * 200 + "b"


def test_dataclasses():
    assert Point(1, 2) == Point(1, 3)


def test_membership():
    assert 7 in [n * n for n in range(5)]


def test_message():
    value = 3
    assert value > 4, f"{value} is not enough"


def test_calls():
    def twice(n):
        return 2 * n

    assert twice(2) == twice(3) - 1


def test_nested():
    def inner(values):
        return values["missing"]

    def outer():
        return inner({"present": 1})

    assert outer()


def test_chain():
    try:
        int("x")
    except ValueError as error:
        raise RuntimeError("it is no number") from error

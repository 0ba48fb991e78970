import math

import pytest
from shop import parse, total


@pytest.mark.parametrize("n", range(30))
def test_squares(n):
    assert math.isqrt(n * n) == n


@pytest.mark.parametrize(
    ("prices", "discount", "expected"),
    [([], 0, 0), ([1, 2], 0, 3), ([10], 0.5, 5), ([10], 0.25, 7), ([0.1, 0.2], 0, 0.3)],
)
def test_total(prices, discount, expected):
    assert total(prices, discount) == expected


@pytest.mark.parametrize("text", ["a=1", "b = 2.5", "nothing", "c=x", pytest.param("d=3", id="last")])
def test_parse(text):
    name, price = parse(text)
    assert name.isalpha()
    assert price > 0


@pytest.mark.parametrize("x", [1, 2])
@pytest.mark.parametrize("y", ["é", "b c", None])
def test_products(x, y):
    assert [y] * x == [y for _ in range(x)]


def test_raises():
    with pytest.raises(ValueError, match="no sense"):
        total([1], 2)


def test_does_not_raise():
    with pytest.raises(ValueError, match="no sense"):
        total([1], 0.5)


def test_approx():
    assert 0.1 + 0.2 == pytest.approx(0.3)


def test_not_approx():
    assert 0.1 + 0.2 == pytest.approx(0.4)

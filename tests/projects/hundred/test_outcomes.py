import sys
import unittest

import pytest


@pytest.mark.skip(reason="not now")
def test_skipped():
    raise AssertionError("never here")


@pytest.mark.skipif(sys.version_info > (3,), reason="too modern")
def test_skipped_if():
    raise AssertionError("never here")


def test_skips_itself():
    pytest.skip("changed its mind")


def test_import_or_skip():
    pytest.importorskip("no_such_module_anywhere", reason="it is not there")


@pytest.mark.network
def test_marked():
    raise AssertionError("never here")


@pytest.mark.xfail(reason="known")
def test_xfail():
    assert 1 == 2


@pytest.mark.xfail(reason="known, once")
def test_xpass():
    assert 1 == 1


@pytest.mark.xfail(strict=True, reason="known, surely")
def test_xpass_strict():
    assert 1 == 1


@pytest.mark.xfail(raises=KeyError, reason="another one")
def test_xfail_of_another_kind():
    raise ValueError("not a KeyError")


def test_fails_by_itself():
    pytest.fail("on purpose")


def test_exits():
    sys.exit(3)


class TestClass:
    shared = []

    def setup_method(self):
        self.shared.append("setup")

    def test_first(self):
        assert self.shared == ["setup"]

    def test_second(self):
        assert self.shared == ["setup", "setup"]

    def test_third(self):
        assert self.shared == []

    @staticmethod
    def test_static():
        assert True


class TestOuter:
    @pytest.mark.parametrize("letter", "ab")
    class TestInner:
        def test_letter(self, letter):
            assert letter in "ab"


class TestOfUnittest(unittest.TestCase):
    def setUp(self):
        self.value = 2

    def test_equal(self):
        self.assertEqual(self.value, 2)

    def test_not_equal(self):
        self.assertEqual(self.value, 3)

    @unittest.skip("not now")
    def test_skipped(self):
        raise AssertionError("never here")

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(1, 2)

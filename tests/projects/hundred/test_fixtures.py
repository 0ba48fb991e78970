import logging
import os
import sys
import warnings

import pytest


def test_session(numbers):
    numbers.append(5)
    assert len(numbers) == 6


def test_session_again(numbers):
    assert len(numbers) == 6


def test_colour(colour):
    assert colour in ("red", "green", "blue")


def test_one_colour(colour):
    assert colour == "red"


def test_account(account):
    assert account["balance"] == 10


def test_account_fails(account):
    print("spending")
    assert account["balance"] > 10


def test_broken(broken):
    raise AssertionError("never here")


def test_ends_badly(ends_badly):
    assert ends_badly == 1


def test_unknown_fixture(nowhere):
    raise AssertionError("never here")


def test_tmp_path(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    path.parent.mkdir()
    path.write_text("text")
    assert [each.name for each in tmp_path.rglob("*.txt")] == ["file.txt"]


def test_tmp_path_is_fresh(tmp_path):
    assert list(tmp_path.iterdir()) == []


def test_tmp_path_factory(tmp_path_factory):
    assert tmp_path_factory.mktemp("made").is_dir()


def test_capsys(capsys):
    print("out")
    print("err", file=sys.stderr)
    assert capsys.readouterr() == ("out\n", "err\n")


def test_capfd(capfd):
    os.write(1, b"raw\n")
    assert capfd.readouterr().out == "raw\n"


def test_capsys_fails(capsys):
    print("kept")
    assert capsys.readouterr().out == "kept"


def test_caplog(caplog):
    with caplog.at_level(logging.INFO):
        logging.getLogger("shop").info("sold %d", 3)
    assert caplog.messages == ["sold 3"]


def test_log_of_a_failure():
    logging.getLogger("shop").warning("about to fail")
    print("to stdout")
    print("to stderr", file=sys.stderr)
    raise AssertionError("failed")


def test_monkeypatch_env(monkeypatch):
    monkeypatch.setenv("HUNDRED", "100")
    assert os.environ["HUNDRED"] == "100"


def test_monkeypatch_is_undone():
    assert "HUNDRED" not in os.environ


def test_monkeypatch_attribute(monkeypatch):
    monkeypatch.setattr(os, "getcwd", lambda: "/nowhere")
    assert os.getcwd() == "/nowhere"


def test_monkeypatch_chdir(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert os.listdir() == []


def test_request(request):
    assert request.node.name == "test_request"


def test_warning():
    warnings.warn("old fashioned", DeprecationWarning, stacklevel=1)


def test_expected_warning():
    with pytest.warns(UserWarning, match="careful"):
        warnings.warn("be careful", UserWarning, stacklevel=1)


def test_no_warning():
    with pytest.warns(UserWarning):
        pass


def test_recorded(record_property):
    record_property("answer", 42)

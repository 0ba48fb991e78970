import no_such_module_anywhere


def test_never():
    assert no_such_module_anywhere

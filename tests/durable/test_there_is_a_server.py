"""Where there is no Temporal server this is what says so: the other tests of this folder are skipped."""


def test_there_is_a_server(address):
    assert address.startswith("127.0.0.1:")

"""Promises about secrets in texts, such as those of errors: what stands under a secret name is not shown."""

import pytest

from planboard._text import is_secret, without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("api_key='abc' user='ada'", "api_key=*** user='ada'"),
        ("{'password': 'a, b', 'n': 1}", "{'password': ***, 'n': 1}"),
        ('{"db_password": "a\\"b"}', '{"db_password": ***}'),
        ("error: password=abc", "error: password=***"),
        ("Login(password=hunter2)", "Login(password=***)"),
        ("PASSWORD: x y", "PASSWORD: *** y"),
        ("access_token=t1, auth_token=t2", "access_token=***, auth_token=***"),
        ("settings.secret = 's'", "settings.secret = ***"),
        ("it's password='a'", "it's password=***"),
        ("401: Authorization: Bearer sk-3fa9.b7_c", "401: Authorization: Bearer ***"),
        ("{'Authorization': 'bearer 3fa9b7c2'}", "{'Authorization': 'bearer ***'}"),
        ("the bearer certificates of 2024", "the bearer certificates of 2024"),
        ("tokens=5 passwords are 3", "tokens=5 passwords are 3"),
        ("password", "password"),
        ("password=", "password="),
        ("", ""),
    ],
)
def test_what_is_secret_by_its_name_is_hidden(text, shown):
    assert without_secrets(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "x" * 300_000,
        "secret" * 50_000,
        "a='" * 50_000,
        'secret="' * 30_000,
        "'" * 100_000,
        "bearer " * 50_000,
        "bearer" * 50_000,
    ],
)
def test_long_texts_are_looked_at_in_one_pass(text):
    """A text of any length ends; with a pattern that goes back and forth these would take hours."""
    assert len(without_secrets(text)) <= len(text)


@pytest.mark.parametrize("name", ["api-key", "X-Api-Key", "refresh_token", "private_key", "PrivateKey", "access-token"])
def test_names_of_secrets_are_known_however_they_are_written(name):
    assert is_secret(name)


@pytest.mark.parametrize("name", ["tokens", "key", "authorization", "private", "refresh"])
def test_ordinary_names_are_no_secrets(name):
    assert not is_secret(name)

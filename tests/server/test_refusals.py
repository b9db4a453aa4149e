"""Every code of a refusal, the server's and the rules', has words in every language of the client."""

import json
import re
import string
from pathlib import Path

import pytest

from cabochon.server.errors import NOT_A_MOVE, REFUSALS, RULE_CODES
from cabochon.why_not import RULES

WEB = Path(__file__).parent.parent.parent / "web"
LOCALES = json.loads((WEB / "messages/languages.json").read_text(encoding="utf-8"))["locales"]
MESSAGES = {locale: json.loads((WEB / f"messages/{locale}.json").read_text(encoding="utf-8")) for locale in LOCALES}
KEYS = {f"rule_{code}": RULES[code][1] for code in RULES} | {f"rule_{NOT_A_MOVE}": "{text}"}
KEYS |= {f"refused_{code}": sentence for code, (_status, sentence) in REFUSALS.items()}


def fields(text: str) -> set[str]:
    """The facts a text mentions."""
    return {name.split("!")[0] for _, name, _, _ in string.Formatter().parse(text) if name}


def test_there_are_four_languages() -> None:
    assert {"en", "pl", "is", "pt"} == set(LOCALES)
    assert len(REFUSALS) + len(RULE_CODES) == len(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_every_code_is_translated(key: str) -> None:
    words = {locale: MESSAGES[locale].get(key) for locale in LOCALES}
    assert all(isinstance(text, str) and text.strip() for text in words.values()), f"{key}: {words}"
    assert len(LOCALES) == len(set(words.values())), f"{key}: the same words in two languages"


@pytest.mark.parametrize("key", KEYS)
def test_words_mention_only_facts_that_are_sent(key: str) -> None:
    sent = fields(KEYS[key])
    if key in ("rule_not_in_the_bank", "rule_pile_for_two"):
        sent |= {"gem"}
    for locale in LOCALES:
        assert fields(MESSAGES[locale][key]) <= sent, f"{locale}: {key}"


@pytest.mark.parametrize("code", RULES)
def test_english_says_a_rule_as_the_engine_does(code: str) -> None:
    words = re.sub(r" \(.*\)$", "", MESSAGES["en"][f"rule_{code}"])
    sentence = RULES[code][0].replace("the own reserve", "your reserve")  # the page speaks to the reader
    assert sentence.casefold() == words.casefold()

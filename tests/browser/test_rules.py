"""The rules page: the printed numbers for everybody, those of the house rules at a table that has some."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from cabochon import Game
from tests.browser.staged import stage

pytestmark = pytest.mark.slow


def test_the_rules_at_a_table_have_its_numbers(browser: Browser, tmp_path: Path) -> None:
    with stage(tmp_path) as staged:
        reader = browser.new_context(base_url=staged.url, reduced_motion="reduce", locale="pl")
        page = reader.new_page()
        house: dict[str, Any] = {"goal": 20, "token_limit": 8, "open_reserves": False}
        page.goto(staged.set_table(reader, Game("marvel", 2, seed=1, **house), house=house))
        page.get_by_test_id("open-rules").click()
        dialog = page.get_by_test_id("rules-dialog")
        expect(dialog.get_by_test_id("rules-after")).to_contain_text("więcej niż 8 znaczników")
        expect(dialog.get_by_test_id("rules-end")).to_contain_text("co najmniej 20 punktów")
        expect(dialog.get_by_test_id("rules-hidden")).to_contain_text("leżą zakryte")
        dialog.get_by_test_id("rules-classic").check(force=True)
        expect(dialog.get_by_test_id("rules-end")).to_contain_text("co najmniej 15 punktów prestiżu")
        page.goto("/rules")
        page.get_by_test_id("rules-marvel").check(force=True)
        expect(page.get_by_test_id("rules-after")).to_contain_text("więcej niż 10 znaczników")
        expect(page.get_by_test_id("rules-end")).to_contain_text("co najmniej 16 punktów")
        reader.close()

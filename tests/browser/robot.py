"""A person at a browser: looks at the page and clicks."""

import random
import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

ANSWER_MS = 20_000
POLL_SECONDS = 0.05


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for something that the page itself does not show."""
    deadline = time.monotonic() + ANSWER_MS / 1000
    while not is_so():
        assert time.monotonic() < deadline, "this never came"
        time.sleep(POLL_SECONDS)


class Robot:
    """Plays one seat by clicking what the page offers: buys if it can, else takes tokens, else reserves."""

    def __init__(self, page: Page, name: str, seed: int = 1) -> None:
        self.page, self.name, self.rng = page, name, random.Random(seed)

    @property
    def table(self) -> Locator:
        return self.page.locator("[data-stage]")

    def read(self, name: str) -> str:
        return self.table.get_attribute(f"data-{name}", timeout=ANSWER_MS) or ""

    @property
    def number(self) -> int:
        return int(self.read("number") or 0)

    @property
    def is_my_turn(self) -> bool:
        """Read at once: between two reads another seat's move may come, even the last one."""
        is_mine = "({ dataset: { stage, turn, seat } }) => stage !== 'over' && turn === seat"
        return bool(self.table.evaluate(is_mine, timeout=ANSWER_MS))

    @property
    def is_over(self) -> bool:
        return self.read("stage") == "over"

    def by(self, test_id: str) -> Locator:
        return self.page.get_by_test_id(test_id)

    def wait_for_number(self, number: int) -> None:
        """Until the page shows at least this many log lines."""
        self.page.wait_for_function(
            "n => Number(document.querySelector('[data-stage]')?.dataset.number ?? 0) >= n", arg=number, timeout=ANSWER_MS
        )

    def decide(self) -> None:
        """Make one decision by clicking, and wait until it is on the page."""
        number = self.number
        moves = {"main": self.main, "return": self.give_back, "claim": self.claim}[self.read("stage")]()
        self.wait_for_number(number + (moves or 1))

    def main(self) -> None:
        if self.by("pass").count():
            self.by("pass").click()
        elif self.buyable().count():
            self.buyable().first.click()  # dearer cards come first on the page, and points end the game
            self.by("buy").click()
        elif self.page.locator(".pile.legal").count():
            self.take_tokens()
        else:
            self.pick(self.page.locator("[data-testid^='card-']")).click()
            self.by("reserve").click()

    def buyable(self) -> Locator:
        return self.page.locator(".buyable[data-testid]")

    def pick(self, choices: Locator) -> Locator:
        """Any of them."""
        return choices.nth(self.rng.randrange(choices.count()))

    def take_tokens(self) -> None:
        confirm = self.by("confirm")
        while not (confirm.count() and confirm.is_enabled()):
            self.pick(self.page.locator(".pile.legal")).click()
            expect(confirm).to_be_visible()
        confirm.click()

    def give_back(self) -> int:
        """Return all that is too much; each token is a move of its own: how many there are."""
        confirm = self.by("confirm-return")
        while not confirm.is_enabled():
            self.pick(self.page.locator(".controls [data-testid^='return-']")).click()
        count = sum(int(text.strip("−")) for text in self.page.locator(".controls .minus").all_inner_texts())
        confirm.click()
        return count

    def claim(self) -> None:
        self.page.locator("[data-testid^='claim-']").first.click()

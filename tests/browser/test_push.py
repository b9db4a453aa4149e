"""A notification, from the switch in the settings to the page it opens: with a push service of our own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from cabochon.server.app import create_app
from cabochon.server.settings import Settings
from tests.browser.robot import Robot, wait_until
from tests.browser.staged import SETTINGS
from tests.server.process import running
from tests.support.push_service import PushService, push_service

pytestmark = pytest.mark.slow
SUBSCRIBE = """subscription => {
  const made = { endpoint: subscription.endpoint, unsubscribe: async () => true,
    toJSON: () => ({ endpoint: subscription.endpoint, keys: { p256dh: subscription.p256dh, auth: subscription.auth } }) };
  let current = null;
  PushManager.prototype.subscribe = async function ({ userVisibleOnly, applicationServerKey }) {
    if (!userVisibleOnly || applicationServerKey.length !== 87) throw new Error("not so");
    return (current = made);
  };
  PushManager.prototype.getSubscription = async () => current;
}"""
SHOWN = """() => navigator.serviceWorker.ready
  .then((found) => found.getNotifications())
  .then((all) => all.map((one) => [one.title, one.body, one.tag]))"""


@pytest.fixture
def pushes() -> Iterator[PushService]:
    with push_service() as service:
        yield service


@pytest.fixture
def url(tmp_path: Path, pushes: PushService) -> Iterator[str]:
    said = {"push_services": (pushes.origin,), "push_delay": 0.0}
    with running(create_app(Settings(database=f"sqlite:///{tmp_path}/tables.db", **SETTINGS, **said))) as address:  # type: ignore[arg-type]
        yield address


def deliver(page: Page, url: str, message: str) -> None:
    """Give a message to the page's service worker, as the browser's maker would."""
    devtools = page.context.new_cdp_session(page)
    known: list[str] = []
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: known.extend(one["registrationId"] for one in event["registrations"] if not one["isDeleted"]),
    )
    devtools.send("ServiceWorker.enable")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => undefined)")
    wait_until(lambda: bool(page.evaluate("() => true")) and bool(known))  # events come while something is asked
    devtools.send("ServiceWorker.deliverPushMessage", {"origin": url, "registrationId": known[-1], "data": message})


def test_a_turn_reaches_somebody_who_has_closed_the_table(browser: Browser, url: str, pushes: PushService) -> None:
    options = {"base_url": url, "reduced_motion": "reduce", "locale": "pl"}
    anna, ben = browser.new_context(**options, permissions=["notifications"]), browser.new_context(**options)  # type: ignore[arg-type]
    phone = pushes.browser("phone")
    for guest in (anna, ben):
        guest.request.get("/api/me")
    hers = anna.new_page()
    hers.goto("/")
    hers.evaluate(SUBSCRIBE, phone.out())
    hers.get_by_test_id("open-settings").click()
    hers.get_by_test_id("turn-alerts").check()
    expect(hers.get_by_test_id("alerts-say")).to_contain_text("także gdy strona jest zamknięta")
    table = ben.request.post("/api/tables", data={"start": "host"}, headers={"Origin": url}).json()["id"]
    his = Robot(ben.new_page(), "Ben")
    his.page.goto(f"/t/{table}")
    hers.goto(f"/t/{table}")
    hers.get_by_test_id("sit-1").click()
    expect(hers.get_by_test_id("leave")).to_be_visible()
    hers.goto("/rules")  # she looks at something else
    his.by("start").click()
    expect(his.page.locator(".bar.mine")).to_be_visible()
    his.decide()
    message = phone.read(pushes.next_for(phone))
    assert ("turn", table) == (message["kind"], message["table"])
    deliver(hers, url, f'{{"kind": "turn", "table": "{table}", "game": "Splendor", "names": ["Ben"]}}')
    wait_until(lambda: bool(hers.evaluate(SHOWN)))
    assert [["Twoja tura", "Splendor · Ben", f"/t/{table}"]] == hers.evaluate(SHOWN)
    hers.goto(f"/t/{table}")
    expect(hers.locator(".bar.mine")).to_be_visible()
    deliver(hers, url, f'{{"kind": "turn", "table": "{table}", "game": "Splendor", "names": ["Ben"]}}')
    hers.get_by_test_id("bank-w").click()
    assert 1 == len(hers.evaluate(SHOWN)), "whoever looks at the table is not told again"
    hers.goto("/")
    hers.evaluate(SUBSCRIBE, phone.out())
    hers.get_by_test_id("open-settings").click()
    hers.get_by_test_id("turn-alerts").uncheck()
    expect(hers.get_by_test_id("alerts-say")).to_have_text("")
    for context in (anna, ben):
        context.close()

"""The browser of the browser tests."""

from tests.browser.conftest import browser as browser

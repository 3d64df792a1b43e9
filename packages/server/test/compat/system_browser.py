"""A pytest plugin: Playwright starts the browser of the system, for it cannot download its own."""

import os

from playwright.sync_api import Browser, BrowserType

_launch = BrowserType.launch


def _launch_of_system(self: BrowserType, **options: object) -> Browser:
    return _launch(self, executable_path=os.environ["CHROMIUM_PATH"], **options)  # type: ignore[arg-type]


BrowserType.launch = _launch_of_system  # type: ignore[method-assign]

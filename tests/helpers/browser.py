"""A headless Chromium of the system that opens a page and reports errors and requests."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
SECONDS = 30.0  # to wait for a condition


class Browser:
    """A page in a browser.

    Parameters
    ----------
    driver : selenium WebDriver
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path) -> float:
        """Open a page, and return the seconds until it was ready, measured in the page."""
        self.driver.get(path.as_uri())
        self.wait("document.documentElement.dataset.ready === 'true'")
        return float(self.run("return window.readyAfter ?? performance.now()")) / 1000

    def run(self, code: str, *arguments: Any) -> Any:
        """Run JavaScript in the page."""
        return self.driver.execute_script(code, *arguments)

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + SECONDS
        while not self.run(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"{condition}; {self.errors()}"
            time.sleep(0.02)

    def settle(self) -> None:
        """Wait until everything is drawn that the last action has changed."""
        self.wait("!document.documentElement.dataset.busy")

    def text(self, selector: str) -> str:
        """Return the text of the first element that matches a selector."""
        self.settle()
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def count(self) -> int:
        """Return the number of remaining trees that the page shows."""
        return int(self.text("#count").replace(",", ""))

    def click(self, selector: str) -> None:
        """Click an element as a user does: it must be visible."""
        from selenium.webdriver.common.by import By

        self.settle()
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.settle()

    def keys(self, *keys: str) -> None:
        """Press keys, one after the other, on the focused element."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        for key in keys:
            ActionChains(self.driver).send_keys(getattr(Keys, key, key)).perform()
            self.settle()

    def enter(self, selector: str, text: str) -> None:
        """Type a text into a field, and leave it."""
        from selenium.webdriver.common.by import By

        self.settle()
        field = self.driver.find_element(By.CSS_SELECTOR, selector)
        field.clear()
        field.send_keys(text, "\t")
        self.settle()

    def resize(self, width: int, height: int, **media: str) -> None:
        """Set the size of the page, and media features such as ``prefers_color_scheme="dark"``."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        time.sleep(0.3)

    def errors(self) -> list[str]:
        """Return the messages of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that were requested since the last call, other than files and parts of the page."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        urls = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("file:", "data:", "blob:", "chrome:"))]


@contextmanager
def open_browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with an empty profile; skip the test if there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason='needs selenium: pip install "puretree[test]"')
    browser, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if browser is None or driver is None:
        pytest.skip("needs Chromium: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}", "--window-size=1280,800"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield Browser(opened)
    finally:
        opened.quit()

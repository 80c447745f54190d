"""A parent's phone: a browser that trusts the authority of the parent's computer, as its owner installed it."""
import hashlib
import os
import subprocess

from family import Fault
from visitor import PHONE, Visitor

USER_AGENT = ("Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) "
              "Chrome/156.0.0.0 Mobile Safari/537.36")


class Phone(Visitor):
    """A browser of a phone's size that was not opened from the computer's menu."""

    def __init__(self, chromium, home, locale):
        self.chromium, self.home, self.locale = chromium, home, locale
        (home / ".pki").mkdir(parents=True)
        self.browser, self.problems = None, []
        self.start()

    def start(self):
        """Starts the browser, which reads the authorities that it trusts at its start alone."""
        if self.browser:
            self.browser.close()
        self.browser = self.chromium.launch(executable_path="/usr/bin/chromium", chromium_sandbox=True,
                                            env=os.environ | {"HOME": str(self.home)})
        before = self.problems
        self.open(self.browser, viewport=PHONE, locale=self.locale, is_mobile=True, has_touch=True,
                  user_agent=USER_AGENT)
        self.problems += before

    def load_authority(self, link, words):
        """Follows the link of the first picture, and returns the file of the certificate and its SHA-256."""
        self.page.goto(link)
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=words, exact=True).click()
        file = self.home / "latchkey.crt"
        download.value.save_as(file)
        return file, hashlib.sha256(file.read_bytes()).hexdigest().upper()

    def is_refused(self, link):
        """Returns whether the browser refuses the certificate of a page."""
        try:
            with self.quiet():
                self.page.goto(link)
        except Exception as error:
            if "ERR_CERT_AUTHORITY_INVALID" not in str(error):
                raise
            return True
        return False

    def trust(self, file):
        """Has the browser trust an authority, as a phone's owner does in its settings."""
        folder = self.home / ".pki/nssdb"
        folder.mkdir(exist_ok=True)
        for words in (["-N", "--empty-password"], ["-A", "-n", "Latchkey", "-t", "C,,", "-i", file]):
            made = subprocess.run(["certutil", "-d", f"sql:{folder}", *words], capture_output=True, text=True)
            if made.returncode:
                raise Fault(f"certutil: {made.stderr}")
        self.start()

    def close(self):
        super().close()
        self.browser.close()

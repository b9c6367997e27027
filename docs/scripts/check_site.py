"""Check the built site: `python docs/scripts/check_site.py docs/_build/html` prints its faults, and fails.

Pictures have alternative texts, code can be copied, everything public links its source, displays show a
picture and the gallery, every page shows the version, two clicks lead from the first page to any other, and
no page but those in `LONG` has more than 2,500 words.
`--browser chromium` also lays every page out for a phone and for screens: nothing scrolls sideways or is cut
off, no name breaks, and the menu takes one row. Only code and formulas scroll, in boxes.
"""

import argparse
import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

WIDTHS = (390, 894, 1280, 1920)
MENU = ["Get started", "User guide", "Examples", "API", "Which AP do I have?", "What's new", "Development"]
MOST_WORDS = 2500
LONG = {  # how the name of a page begins: why its readers do not read it from end to end
    "_modules/": "source code",
    "changelog": "a list of changes",
    "compatibility": "records of packages, and their index",
    "in_other_libraries": "a section per library, behind a table that leads there",
    "intervals": "tables of simulations, behind the page that says what they mean",
}
MEASURE = """\
<!doctype html><body><script type="module">
const frame = document.createElement("iframe"), found = [];
frame.style = "border: 0; height: 900px";
document.body.append(frame);
for (const page of PAGES) {
  await new Promise(loaded => { frame.onload = loaded; frame.src = page; });
  const view = frame.contentWindow, root = view.document.documentElement;
  await view.MathJax?.startup?.promise;
  for (const width of WIDTHS) {
    frame.style.width = `${width}px`;
    for (const one of [root, ...view.document.querySelectorAll("body *")]) {
      const grows = one !== root && view.getComputedStyle(one).overflowX === "visible";
      if (grows || one.scrollWidth <= one.clientWidth + 1) continue;
      if (one.closest("pre, .math, mjx-container, .bd-breadcrumbs, .pst-expand-sidebar-label")) continue;
      if (one.matches(".visually-hidden")) continue;
      const name = one.tagName.toLowerCase() + (one.className ? `.${one.className}` : "");
      found.push(`${page}: ${name} is ${one.scrollWidth} pixels wide at ${width}`);
    }
    for (const name of view.document.querySelectorAll(".field-list dt > strong"))
      if (!/\\s/.test(name.textContent) && name.getClientRects().length > 1)
        found.push(`${page}: ${name.textContent} breaks at ${width}`);
    const header = view.document.querySelector("header").offsetHeight;
    if (header > 100) found.push(`${page}: the menu is ${header} pixels high at ${width}`);
  }
}
await fetch("/", {method: "POST", body: JSON.stringify(found)});
</script>
"""


def main() -> None:
    """Print the faults of a site."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("site", type=Path, help="folder that Sphinx wrote")
    parser.add_argument("--browser", help="command of a Chromium, to measure the pages in")
    options = parser.parse_args()
    pages = {
        str(page.relative_to(options.site)): page.read_text()
        for page in sorted(options.site.rglob("*.html"))
        if "_static" not in page.parts
    }
    faults = [*read(pages), *walked(pages)]
    if options.browser:
        faults += measured(options.site, list(pages), options.browser)
    print("\n".join([*faults, f"{len(pages)} pages, {len(faults)} faults"]))
    sys.exit(bool(faults) or not pages)


def read(pages: dict[str, str]) -> Iterator[str]:
    """Yield the faults that the text of the pages shows."""
    for name, text in pages.items():
        for image in re.findall(r"<img[^>]*>", text):
            if not re.search(r'alt="[^"]{20,}"', image):
                yield f"{name}: {image} has no alternative text"
        if not re.search(r'logo__title">sklearn_ap \d', text):
            yield f"{name}: the version is not in its head"
        if "<pre>" in text and "copybutton.js" not in text:
            yield f"{name}: code without a button to copy it"
        article = re.sub(r"<[^>]*>", "", text.partition("<article")[2].partition("</article>")[0])
        if len(article.split()) > MOST_WORDS and not name.startswith(tuple(LONG)):
            yield f"{name}: {len(article.split())} words"
        if name.startswith("reference/generated/"):
            if 'class="viewcode-link"' not in text:
                yield f"{name}: no link to the source"
            if "Display.html" in name and not ("<figure" in text and "sphx-glr-thumbcontainer" in text):
                yield f"{name}: no picture, or no gallery"


def walked(pages: dict[str, str]) -> Iterator[str]:
    """Yield what is wrong with the menu, and the pages that two clicks from the first page do not reach."""
    header = pages["index.html"].partition("<header")[2].partition("</header>")[0]
    menu = [unescape(text.strip()) for text in re.findall(r'class="nav-link[^>]*>([^<]*)</a>', header)]
    if menu[: len(MENU)] != MENU:
        yield f"index.html: the menu is {menu}, and should be {MENU}"
    reached = {"index.html"}
    for _ in range(2):
        reached |= {
            posixpath.normpath(posixpath.join(posixpath.dirname(page), link.partition("#")[0]))
            for page in reached & pages.keys()
            for link in re.findall(r'<a [^>]*href="([^"#:][^":]*)"', pages[page])
        }
    for page in sorted(pages.keys() - reached):
        if not page.startswith(("_modules/", "genindex.html", "search.html")):
            yield f"{page}: more than two clicks from the first page"


def measured(site: Path, pages: list[str], browser: str) -> list[str]:
    """Return what is too wide: a browser lays out every page in one frame per width."""
    answers: Queue[list[str]] = Queue()
    text = MEASURE.replace("WIDTHS", json.dumps(WIDTHS)).replace("PAGES", json.dumps(pages))

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/measure":
                return super().do_GET()
            self.answer(text.encode())

        def do_POST(self) -> None:
            answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(b"")

        def answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with (
        ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site))) as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        flags = [
            "--headless",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
        ]
        flags += ["--disable-sync", "--no-first-run", f"--user-data-dir={profile}"]
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []  # root cannot have a sandbox
        # With a port for debugging, a headless browser stays open until it is terminated.
        command = [
            browser,
            *flags,
            "--remote-debugging-port=0",
            f"http://127.0.0.1:{server.server_port}/measure",
        ]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            try:
                return answers.get(timeout=600)
            finally:
                running.terminate()
                server.shutdown()


if __name__ == "__main__":
    main()

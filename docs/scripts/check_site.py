"""Check the built site: `python docs/scripts/check_site.py docs/_build/html` prints its
faults, and fails.

The text of the pages must follow these rules:

- Pictures have alternative texts, and code has a button to copy it.
- Public names link to their source, and displays show a picture and the gallery.
- Every page shows the version, and has a description for search engines.
- Two clicks lead from the first page to any other.
- A link to a place on a page, such as `index.html#install`, leads to an id there.
- Pages have at most 2,500 words, except those in `LONG`.
- Code has at most 79 characters per line, and no box of code is empty.
- Each line of text of the gallery's scripts is on its page.

With `--browser chromium`, a browser lays out every page for a phone and for screens:

- Nothing is cut off or scrolls sideways, except code and formulas in boxes.
- Names, words of titles, numbers in cells, and words of links to the next page do not
  break.
- On a laptop, code does not wrap, and names in calls do not break.
- The brand leaves room for the search, and the menu takes one row.

With `--axe axe.min.js` (from axe-core of npm), axe checks all pages without source
code.
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
from urllib.parse import unquote

WIDTHS = (390, 768, 894, 1280, 1920)
MENU = [
    "Labels",
    "Which AP?",
    "Tuning",
    "Intervals",
    "Thresholds",
    "Retrieval",
    "Detection",
    "Gallery",
    "API",
    "The command",
    "Rows beyond memory",
    "The project",
]
# Pages without a text of their own
INDEXES = ("_modules/", "genindex.html", "search.html")
GALLERY = Path(__file__).parents[1] / "gallery"
MOST_WORDS = 2500
MOST_CHARACTERS = 79
# These pages show files, whose lines may be longer.
CODE_OF_FILES = ("_modules/", "reference/generated/", "CONTRIBUTING")
# The beginning of the name of a long page, and why nobody reads all of it.
LONG = {
    "_modules/": "source code",
    "CONTRIBUTING": "recipes, each for one kind of change",
    "changelog": "a list of changes",
    "compatibility": "records of packages, and their index",
    "how_sure": "tables with a row per question and per warning",
    "in_other_libraries": "a section per library, behind a table that leads there",
    "intervals": "tables of simulations, behind the page that says what they mean",
}
MEASURE = """\
<!doctype html><body><script type="module">
const frame = document.createElement("iframe"), found = [];
const send = answer => fetch("/", {method: "POST", body: JSON.stringify(answer)});
addEventListener("error", async event => { await send([event.message]); send(null); });
frame.style = "border: 0; height: 900px";
document.body.append(frame);
for (const page of PAGES) {
  await new Promise(loaded => { frame.onload = loaded; frame.src = page; });
  const view = frame.contentWindow, root = view.document.documentElement;
  const still = {textContent: "* { transition: none !important }"};
  root.append(Object.assign(view.document.createElement("style"), still));
  await view.MathJax?.startup?.promise;
  for (const width of WIDTHS) {
    frame.style.width = `${width}px`;
    for (const one of [root, ...view.document.querySelectorAll("body *")]) {
      const grows = one !== root && view.getComputedStyle(one).overflowX === "visible";
      if (grows || one.scrollWidth <= one.clientWidth + 1) continue;
      const scrolls = "pre, .math, mjx-container";
      const folds = ".bd-breadcrumbs, .pst-expand-sidebar-label";
      if (one.closest(`${scrolls}, ${folds}`)) continue;
      if (one.matches(".visually-hidden")) continue;
      const kind = one.className ? `.${one.className}` : "";
      const name = one.tagName.toLowerCase() + kind;
      found.push(`${page}: ${name} is ${one.scrollWidth} pixels wide at ${width}`);
    }
    for (const name of view.document.querySelectorAll(".field-list dt > strong"))
      if (!/\\s/.test(name.textContent) && name.getClientRects().length > 1)
        found.push(`${page}: ${name.textContent} breaks at ${width}`);
    for (const title of view.document.querySelectorAll("h1")) {
      if (page.startsWith("_modules/")) break;
      const texts = view.document.createTreeWalker(title, NodeFilter.SHOW_TEXT);
      const range = view.document.createRange();
      while (texts.nextNode()) {
        for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
          range.setStart(texts.currentNode, word.index);
          range.setEnd(texts.currentNode, word.index + word[0].length);
          if (range.getClientRects().length > 1)
            found.push(`${page}: ${word[0]} breaks at ${width}`);
        }
      }
    }
    for (const box of view.document.querySelectorAll("article td, .prev-next-title")) {
      const texts = view.document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      const range = view.document.createRange();
      const words = box.matches("td") ? /[+-]?\\d[\\d.,:/-]*(?!\\S)/g : /[^\\s-]+/g;
      while (texts.nextNode()) {
        for (const word of texts.currentNode.data.matchAll(words)) {
          range.setStart(texts.currentNode, word.index);
          range.setEnd(texts.currentNode, word.index + word[0].length);
          const tops = [...range.getClientRects()].map(part => Math.round(part.top));
          if (new Set(tops).size > 1)
            found.push(`${page}: ${word[0]} breaks in its box at ${width}`);
        }
      }
    }
    const header = view.document.querySelector("header").offsetHeight;
    if (header > 100)
      found.push(`${page}: the menu is ${header} pixels high at ${width}`);
    const [brand, search] = [".logo__title", ".search-button"].map(name => {
      const named = [...view.document.querySelectorAll(`header ${name}`)];
      const shown = named.find(one => one.offsetWidth);
      return shown?.getBoundingClientRect() ?? {};
    });
    if (search.left - brand.right < 8)
      found.push(`${page}: the brand touches the search at ${width}`);
    const range = view.document.createRange();
    const codes = view.document.querySelectorAll("article :is(p, td, li) code");
    for (const code of width === 1280 ? codes : []) {
      const texts = view.document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      const parts = [];
      while (texts.nextNode()) parts.push(texts.currentNode);
      for (const name of code.textContent.matchAll(/[A-Za-z]\\w+/g)) {
        const tops = new Set();
        let begin = 0;
        for (const part of parts) {
          const end = begin + part.length;
          const a = Math.max(begin, name.index);
          const b = Math.min(end, name.index + name[0].length);
          range.setStart(part, Math.min(Math.max(a - begin, 0), part.length));
          range.setEnd(part, Math.min(Math.max(b - begin, 0), part.length));
          if (a < b)
            for (const {top} of range.getClientRects()) tops.add(Math.round(top));
          begin = end;
        }
        if (tops.size > 1) found.push(`${page}: ${name[0]} breaks at ${width}`);
      }
    }
    if (width !== 1280 || CODE_OF_FILES.some(begin => page.startsWith(begin))) continue;
    for (const code of view.document.querySelectorAll("article .highlight pre")) {
      const lines = code.textContent.trimEnd().split("\\n");
      const style = view.getComputedStyle(code);
      const padding = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
      const height = code.clientHeight - padding;
      if (Math.max(...lines.map(line => line.length)) > MOST_CHARACTERS) continue;
      if (height > (lines.length + 0.5) * parseFloat(style.lineHeight))
        found.push(`${page}: ${lines[0]} ... wraps`);
    }
  }
  if (WITH_AXE && !page.startsWith("_modules/")) {
    frame.style.width = "1280px";
    const script = view.document.createElement("script");
    script.src = "/axe.js";
    await new Promise(loaded => {
      script.onload = loaded;
      view.document.body.append(script);
    });
    const {violations} = await view.axe.run(view.document);
    for (const {id, nodes} of violations)
      found.push(
        `${page}: ${id}, as in ${nodes[0].html.slice(0, 200)} (${nodes.length} times)`
      );
  }
  await send(found.splice(0));
}
send(null);
</script>
"""


def main() -> None:
    """Print the faults of a site."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("site", type=Path, help="folder that Sphinx wrote")
    parser.add_argument(
        "--browser", help="command of a Chromium, to measure the pages in"
    )
    parser.add_argument(
        "--axe", type=Path, help="axe.min.js of npm's axe-core, to run in the browser"
    )
    options = parser.parse_args()
    pages = {
        str(page.relative_to(options.site)): page.read_text()
        for page in sorted(options.site.rglob("*.html"))
        if "_static" not in page.parts
    }
    faults = [
        *read(pages),
        *undescribed(pages),
        *lost_text(pages),
        *walked(pages),
        *dead_fragments(pages),
        *wide_lines(pages),
    ]
    if options.browser:
        faults += measured(options.site, list(pages), options.browser, options.axe)
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
        article = re.sub(
            r"<[^>]*>", "", text.partition("<article")[2].partition("</article>")[0]
        )
        if len(article.split()) > MOST_WORDS and not name.startswith(tuple(LONG)):
            yield f"{name}: {len(article.split())} words"
        if name.startswith("reference/generated/"):
            if 'class="viewcode-link"' not in text:
                yield f"{name}: no link to the source"
            if "Display.html" in name and not (
                "<figure" in text and "sphx-glr-thumbcontainer" in text
            ):
                yield f"{name}: no picture, or no gallery"


def undescribed(pages: dict[str, str]) -> Iterator[str]:
    """Yield the pages without a description for search engines."""
    description = re.compile('name="description" content="[^"]{10,}"')
    for name, text in pages.items():
        if not name.startswith(INDEXES) and not description.search(text):
            yield f"{name}: no description"


def lost_text(pages: dict[str, str]) -> Iterator[str]:
    """Yield the lines of docstrings and comments in scripts of the gallery that are
    missing from its pages. Roles, such as :doc:, show the title of another page.
    """
    for script in sorted(GALLERY.glob("plot_*.py")):
        name = f"auto_examples/{script.stem}.html"
        text = re.sub(r"</?(?:a|code|em|span|wbr)\b[^>]*>", "", pages[name])
        shown = " ".join(re.findall(r"\w+", unescape(re.sub(r"<[^>]*>", " ", text))))
        _, docstring, rest = script.read_text().split('"""', 2)
        comments = re.findall(r"^#(?! sphinx_gallery)(.*)", rest, re.MULTILINE)
        lines = "\n".join([docstring, *comments])
        for line in re.sub(r":\w+:`[^`]*`", "|", lines).splitlines():
            for part in line.split("|"):
                if " ".join(re.findall(r"\w+", part)) not in shown:
                    yield f"{name}: lacks {line.strip()!r}"


def wide_lines(pages: dict[str, str]) -> Iterator[str]:
    """Yield empty boxes of code, and lines of code and of results that do not fit."""
    block = re.compile(r"highlight-(?!none)\w+ .*?<pre>(.*?)</pre>", re.DOTALL)
    for name, text in pages.items():
        for box in block.findall("" if name.startswith(CODE_OF_FILES) else text):
            code = unescape(re.sub(r"<[^>]*>", "", box))
            if not code.strip():
                yield f"{name}: an empty box of code"
            for line in code.splitlines():
                if len(line) > MOST_CHARACTERS:
                    yield f"{name}: wide code, {line}"


def walked(pages: dict[str, str]) -> Iterator[str]:
    """Yield the faults of the menu, links of the first pages that lead nowhere, and
    pages that two clicks from the first page do not reach.
    """
    header = pages["index.html"].partition("<header")[2].partition("</header>")[0]
    menu = [
        unescape(text.strip())
        for text in re.findall(r'class="nav-link[^>]*>([^<]*)</a>', header)
    ]
    if menu[: len(MENU)] != MENU:
        yield f"index.html: the menu is {menu}, and should be {MENU}"
    reached = {"index.html"}
    for _ in range(2):
        reached |= {
            posixpath.normpath(
                posixpath.join(posixpath.dirname(page), link.partition("#")[0])
            )
            for page in reached & pages.keys()
            for link in re.findall(r'<a [^>]*href="([^"#:][^":]*)"', pages[page])
        }
    for page in sorted(reached - pages.keys()):
        if page.endswith(".html"):
            yield f"{page}: a link leads there, and there is no such page"
    for page in sorted(pages.keys() - reached):
        if not page.startswith(INDEXES):
            yield f"{page}: more than two clicks from the first page"


def dead_fragments(pages: dict[str, str]) -> Iterator[str]:
    """Yield the links to a place on a page that has no such id."""
    ids = {name: {*re.findall(r'\bid="([^"]+)"', pages[name])} for name in pages}
    for name, text in pages.items():
        links = re.findall(r'<a [^>]*href="([^":#]*)#([^"]*)"', text)
        for path, fragment in dict.fromkeys(links):
            page = name
            if path:
                page = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            # The link "#" leads to the top of a page.
            if fragment and unquote(unescape(fragment)) not in ids.get(page, ()):
                yield f"{name}: {path}#{fragment} leads nowhere"


def measured(site: Path, pages: list[str], browser: str, axe: Path | None) -> list[str]:
    """Return the faults of the layout, and those that axe finds. A browser lays out
    every page in a frame of each width.
    """
    answers: Queue[list[str] | None] = Queue()
    found: list[str] = []
    text = MEASURE.replace("WITH_AXE", json.dumps(axe is not None))
    text = text.replace("MOST_CHARACTERS", str(MOST_CHARACTERS))
    text = text.replace("CODE_OF_FILES", json.dumps(CODE_OF_FILES))
    text = text.replace("WIDTHS", json.dumps(WIDTHS)).replace(
        "PAGES", json.dumps(pages)
    )

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/measure":
                return self.answer(text.encode())
            if self.path == "/axe.js" and axe:
                return self.answer(axe.read_bytes(), "text/javascript")
            return super().do_GET()

        def do_POST(self) -> None:
            answers.put(
                json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            )
            self.answer(b"")

        def answer(self, body: bytes, kind: str = "text/html") -> None:
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Do not write a log."""

    with (
        ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(Handler, directory=str(site))
        ) as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        flags = [
            "--headless",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            f"--user-data-dir={profile}",
            # With a port for debugging, a headless browser stays open until it is
            # terminated.
            "--remote-debugging-port=0",
        ]
        # Root cannot have a sandbox.
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        address = f"http://127.0.0.1:{server.server_port}/measure"
        command = [browser, *flags, address]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            try:
                while (of_page := answers.get(timeout=600)) is not None:
                    found += of_page
                return found
            finally:
                running.terminate()
                server.shutdown()


if __name__ == "__main__":
    main()

"""What a build says of the package: addresses from one `repository`, and README as an
index shows it.

README and the pages are written for a checkout. Their other form, for those who install
from the index, follows from the same text: here for the index, and in docs/conf.py for
the site of a release.
"""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOR_THE_INDEX = (  # a pattern of the checkout's text, and what stands there instead
    (r"<!--checkout-->.*?<!--end-->\n*", ""),
    (r"python3 -m venv \.venv && ", ""),
    (r"\.venv/bin/", ""),
    (r'"\.\[', '"sklearn-ap['),
    (r"pip install \.(?=\s)", "pip install sklearn-ap"),
)


def addresses(repository: str) -> dict[str, str]:
    """Return the addresses that an index shows; the host of the repository has the
    pages, too.
    """
    owner, name = repository.split("/")[-2:]
    return {
        "Source": repository,
        "Documentation": f"https://{owner}.github.io/{name}/",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def installed(text: str) -> str:
    """Return a text about a checkout in the form for those who install from the
    index.
    """
    for pattern, instead in FOR_THE_INDEX:
        text = re.sub(pattern, instead, text, flags=re.DOTALL)
    return text


def on_the_index(readme: str, repository: str, version: str) -> str:
    """Return README as an index shows it: alone, so links lead to the site and the
    files of this version.
    """
    documentation = addresses(repository)["Documentation"]
    readme = re.sub(
        r"\]\(docs/([\w/]+)\.md",
        rf"]({documentation}v{version}/\1.html",
        installed(readme),
    )
    readme = re.sub(
        r"(!\[[^]]*\])\((?!https?://|#)", rf"\1({repository}/raw/v{version}/", readme
    )
    return re.sub(r"\]\((?!https?://|#)", rf"]({repository}/blob/v{version}/", readme)


def get_metadata_hook() -> type:
    """Return the hook that hatchling calls; other readers of this file need no
    hatchling.
    """
    from hatchling.metadata.plugin.interface import MetadataHookInterface  # noqa: PLC0415

    class Hook(MetadataHookInterface):
        def update(self, metadata: dict[str, Any]) -> None:
            repository = self.config["repository"]
            text = on_the_index(
                (ROOT / "README.md").read_text("utf-8"), repository, metadata["version"]
            )
            metadata["readme"] = {"content-type": "text/markdown", "text": text}
            metadata["urls"] = addresses(repository)

    return Hook

"""Metadata of a build: addresses that follow from one `repository`, and README in the
form for the package index.

README and the pages are written for a checkout. Users who install from the index read
another form of the same text. This file makes it for the index, and docs/conf.py for
the site of a release.
"""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# Patterns of the text for a checkout, each with its text for the index.
FOR_THE_INDEX = (
    (r"<!--checkout-->.*?<!--end-->\n*", ""),
    (r"python3 -m venv \.venv && ", ""),
    (r"\.venv/bin/", ""),
    (r'"\.\[', '"sklearn-ap['),
    (r"pip install \.(?=\s)", "pip install sklearn-ap"),
)


def addresses(repository: str) -> dict[str, str]:
    """Return the addresses that an index shows. The host of the repository also
    publishes the pages.
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
    """Return README in the form for an index, which has no other files: links lead to
    the site and to the files of this version.
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
    """Return the class that hatchling calls. Other users of this file need not install
    hatchling, so it is imported here.
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

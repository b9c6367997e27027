"""Make README.md and the project's links work on the page of a package index: all of them become absolute."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class IndexPage(MetadataHookInterface):
    """Fill in `readme` and `urls` from the one address in pyproject.toml, at the tag of the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both fields to the metadata."""
        home, tag = self.config["repository"], f"v{metadata['version']}"
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = re.sub(r"(!\[[^]]*\])\((?!https?://|#)", rf"\1({home}/raw/{tag}/", text)
        text = re.sub(r"\]\((?!https?://|#)", f"]({home}/blob/{tag}/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {
            "Source": home,
            "Documentation": f"{home}/blob/{tag}/docs/index.md",
            "Changelog": f"{home}/blob/{tag}/CHANGELOG.md",
            "Issues": f"{home}/issues",
        }

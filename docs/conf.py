"""Configuration of the documentation site; `python -m sphinx -W docs docs/_build/html`
builds it, offline.
"""

import os
import re
import shutil
import sys
import textwrap
import tomllib
from html import escape
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.osutil import ensuredir

os.environ.setdefault("MPLBACKEND", "Agg")  # the gallery is drawn without a screen
sys.path.insert(0, str(Path(__file__).parents[1]))  # the checkout, installed or not

import sklearn_ap  # found by the line above

project = "sklearn_ap"
author = "The sklearn_ap developers"
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
HOOKS = PROJECT["tool"]["hatch"]["metadata"]["hooks"]
FOR_THE_INDEX = HOOKS["fancy-pypi-readme"]["substitutions"]
ADDRESSES = PROJECT["project"]["urls"]
SOURCE = ADDRESSES["Source"]
RELEASED = re.search(r"^## \S+ \(\d", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
FOR_USERS = {
    "index",
    "command",
    "rows_beyond_memory",
    "reference/index",
}  # pages that say what to install
copyright = "The sklearn_ap developers"  # noqa: A001  # Sphinx's name
version = release = sklearn_ap.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery"]
templates_path = ["_templates"]
nitpicky = True  # warn about references that lead nowhere
smartquotes = False  # users copy names of records, which may contain quotes
# The copy button copies neither prompts nor output.
copybutton_prompt_text = r">>> |\.\.\.(?: |$)|\$ "
copybutton_prompt_is_regexp = True
extlinks = {
    "doi": ("https://doi.org/%s", "doi:%s"),
    "source": (f"{SOURCE}%s", f"{SOURCE}%s"),
}
# The folder of the manual of each package with a page for each name.
MANUALS = {
    "matplotlib": "https://matplotlib.org/stable/api/_as_gen",
    "numpy": "https://numpy.org/doc/stable/reference/generated",
    "scipy": "https://docs.scipy.org/doc/scipy/reference/generated",
    "sklearn": "https://scikit-learn.org/stable/modules/generated",
}

# --- pages ----------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
# MathJax only renders the formulas that Sphinx marks.
mathjax_path = "mathjax/tex-chtml.js"

# --- reference ------------------------------------------------------------------------

autodoc_typehints = "none"  # the docstrings describe the types
autosummary_generate = True
# The page of `report` would overwrite that of `Report` where case is ignored.
autosummary_filename_map = {"sklearn_ap.Report": "sklearn_ap.Report-class"}
numpydoc_show_class_members = False  # the template of classes lists them
numpydoc_validation_checks = {
    "all",
    "ES01",  # one sentence may be enough
    "GL01",  # the summary stands on the line of the quotes, as in PEP 257
    "GL08",  # members of the standard library's classes
    "GL09",  # versionadded comes after the text
    "PR06",  # types are called "str", "int" and "bool"
    "PR08",  # a description may begin with a default
    "RT02",  # a single returned value has a name too
    "RT03",  # the description of a returned value may begin with its range
    "SA01",  # records have no related functions
    "SS05",  # "Precision-recall curve" is not a verb
    "EX01",  # the examples of the functions that make records show them
}
numpydoc_validation_exclude = {
    r"\.(ConfidenceInterval)\.\w+$",  # fields, which Python documents
}

# --- gallery --------------------------------------------------------------------------

# Descriptions of pictures, for readers who cannot see them.
PICTURES = {
    "plot_1_family_001": "One precision-recall curve of ten samples with five areas:"
    " step bars, the envelope of the best precision at each recall or beyond, eleven"
    " dots on it, lines, and Davis-Goadrich curves.",
    "plot_1_family_002": "The same curve five times, each with one of these areas, its"
    " number in the legend, and the random level at one half.",
    "plot_2_choosing_k_001": "Accuracy and average precision of nearest neighbours"
    " against K.",
    "plot_2_choosing_k_002": "Precision-recall curves of five folds.",
    "plot_3_rounded_scores_001": "Step, interpolated and linear area against the"
    " decimals of the scores.",
    "plot_4_ties_001": "AP@k against k for few distinct scores: a wide band from the"
    " pessimistic to the optimistic order of equal scores, with the expected and the"
    " proportional value.",
    "plot_4_ties_002": "AP@k for two negatives above four equal positives: the"
    " proportional value lies above the band.",
    "plot_4_ties_003": "AP@k of neighbours weighted by distance: the band has closed to"
    " a line.",
    "plot_5_two_prevalences_001": "Precision-recall curves of one model at two"
    " prevalences: near precision 1 where half are positive, far below it at high"
    " recall where one in fifty is.",
    "plot_5_two_prevalences_002": "Average precision of two models against the"
    " prevalence, on a logarithmic axis: their lines rise and cross near 0.03, above"
    " the line of random scores.",
    "plot_6_fraud_desk_001": "Euros and number of frauds caught in five days against"
    " reviews per day, up to 200: ranking by expected loss catches more euros at every"
    " budget, ranking by probability more frauds.",
    "plot_7_docking_screen_001": "Two pictures of the best 5 % of two docking programs:"
    " the share of actives found, far below the perfect line, and the enrichment"
    " factor, which falls from 100 to about 25 at the dotted line of 1 %.",
    "plot_7_docking_screen_002": "AP@k against molecules tested, up to 100: the band"
    " from the worst to the best order of equal scores widens and narrows with each"
    " tied group.",
    "plot_8_two_engines_001": "A bar per query, sorted: the difference in average"
    " precision of two engines, orange above zero for 138 queries, blue below for 62,"
    " and the mean difference as a dashed line.",
    "plot_8_two_engines_002": "Bars of the difference in precision@10: most queries are"
    " equal, and the old engine (blue) wins more of the others.",
    "plot_9_detector_001": "Precision-recall curves of a detector with all its boxes"
    " and with few. On the left both reach recall 1. On the right, with missed objects,"
    " the curve of few boxes ends far earlier.",
    "plot_9_detector_002": "The hit curve of all boxes stops before the missed objects,"
    " below the plateau of the perfect ranking.",
    "plot_10_how_precise_001": "Average precision of five models with intervals, one"
    " row per model, with the chance level as a dashed line.",
    "plot_10_how_precise_002": "Precision-recall curves of two models, each in a band"
    " that is narrow where precision is 1 and wide where it falls.",
}
# The names that each page of the guide explains. The page of each public name in the
# reference leads to its guide, so a name that is missing here is a warning.
GUIDES = {
    "command": "Report report",
    "detection": "interpolated_average_precision_score",
    "how_sure": "ConfidenceInterval ManyComparisons ScoreComparison ScoreEstimate"
    " UncertaintyWarning compare_many compare_samples compare_scores estimate_score"
    " expected_by_chance",
    "model_selection": "get_scorer get_scorer_names make_scorer",
    "operating_points": "BudgetTotals HitCurveDisplay OperatingPoint budget_totals"
    " hit_curve operating_point precision_at_recall_score recall_at_precision_score",
    "retrieval": "read_lists reciprocal_rank_score score_by_query success_at_k_score",
    "rows_beyond_memory": "RankingState",
    "which_ap": "CONVENTIONS ComparisonRow ConventionComparison FunctionComparison"
    " NoNumberError identify_function"
    " PrecisionRecallDisplay average_precision_at_k_score"
    " average_precision_score compare_conventions eleven_point_average_precision_score"
    " identify pr_auc_score precision_at_k_score"
    " precision_recall_curve r_precision_score recall_at_k_score score_as",
}
# The picture on the page of each display.
autosummary_context = {
    "guides": {name: page for page, names in GUIDES.items() for name in names.split()},
    "pictures": {
        "PrecisionRecallDisplay": "plot_1_family_002",
        "HitCurveDisplay": "plot_7_docking_screen_001",
    },
}
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "docs.scripts.order.ByNumber",
    "abort_on_example_error": True,
    "show_signature": False,
    "show_memory": False,
    "download_all_examples": False,
    "min_reported_time": 10_000,  # do not show running times
    "write_computation_times": False,
    "default_thumb_file": str(Path(__file__).parent / "_static" / "logo.svg"),
    "thumbnail_size": (560, 392),
    "backreferences_dir": "auto_examples/backreferences",  # the scripts that use a name
    "doc_module": ("sklearn_ap",),
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "remove_config_comments": True,
    "plot_gallery": True,
}

# --- looks ----------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = f"sklearn_ap {version}"
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
# Without a mode, each page writes an error to the console.
html_context = {
    "default_mode": "auto",
    "versions": f"{ADDRESSES['Documentation']}versions.html",
}
html_css_files = ["sklearn_ap.css"]
# Sphinx looks for a relative path in the working directory.
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {
    # Pages without a section
    "index": [],
    "labels": [],
    "operating_points": [],
    "retrieval": [],
    "detection": [],
    "command": [],
    "rows_beyond_memory": [],
    # The menu of the reference has its headings.
    "reference/**": ["reference_menu.html"],
}
html_theme_options = {
    "logo": {
        "text": html_title,
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "alt_text": "Logo: a precision-recall curve of steps above its area",
    },
    "icon_links": [
        {"name": "Source code", "url": SOURCE, "icon": "fa-brands fa-github"}
    ],
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["versions"],
}


def link_to_other_manuals(
    app: Any, env: Any, node: nodes.Element, contnode: nodes.Node
) -> Any:
    """Link a public name of another package to its manual, without fetching an
    inventory from there.
    """
    target = node.get("reftarget", "")
    pages = MANUALS.get(target.partition(".")[0])
    if pages is None or "._" in target:
        return None
    try:
        resolve_name(target)
    except (ImportError, AttributeError, ValueError):
        return None  # misspelt: Sphinx warns
    return nodes.reference(
        "", "", contnode, internal=False, refuri=f"{pages}/{target}.html"
    )


def describe_pictures(app: Any, doctree: nodes.document) -> None:
    """Give each picture of the gallery its alternative text, wherever it is shown; warn
    if it has none.
    """
    for picture in doctree.findall(
        lambda node: "uri" in getattr(node, "attributes", ())
    ):
        name = Path(picture["uri"]).stem.removeprefix("sphx_glr_")
        if name.endswith("_thumb"):
            script = (
                Path(app.confdir) / "gallery" / name.replace("_thumb", ".py")
            ).read_text()
            number = re.search(r"sphinx_gallery_thumbnail_number = (\d)", script)
            name = name.replace("thumb", f"00{number[1] if number else 1}")
        if name in PICTURES:
            picture["alt"] = PICTURES[name]
        elif not picture.get("alt") or name.startswith("plot_"):
            logging.getLogger(__name__).warning(
                "PICTURES in conf.py lacks %s", name, location=picture
            )


def strip_code_blocks(app: Any, doctree: nodes.document) -> None:
    """Drop the empty line before a closing fence: only doctest needs it, as the end of
    the output.
    """
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block.children = [nodes.Text(block.rawsource)]


def let_names_break(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let calls break behind their names, long names between their words, and keep
    numbers with their percent signs.
    """
    for part in {"body", "toc"} & context.keys():
        context[part] = re.sub(
            r'(?<=<span class="pre">)[^<]{19,}|(?<=<h1>)[\w.]+(?=<)',
            lambda name: re.sub(
                r"(?<=\w)(_)(?=[^\W\d])|(?<=[a-z])(?=[A-Z])",
                r'\1<wbr class="inside">',  # on a phone alone, as the style says
                re.sub(r"(?<=\w)([.(=])(?=\w)", r"\1<wbr>", name[0]),
            ),
            context[part],
        )
        code_or_space = r"<pre>.*?</pre>|(?<=\d) (?=%)"
        context[part] = re.sub(
            code_or_space,
            lambda match: "&#160;" if match[0] == " " else match[0],
            context[part],
            flags=re.DOTALL,
        )


def describe_page(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give a page a description for search engines: its first paragraph, or that of the
    docstring of a public name.
    """
    if doctree is None:
        return
    docstring = next(doctree.findall(addnodes.desc_content), doctree)
    paragraphs = docstring.findall(nodes.paragraph)
    own = (nodes.section, addnodes.desc_content)
    texts = [part.astext() for part in paragraphs if isinstance(part.parent, own)]
    text = textwrap.shorten(texts[0] if texts else context["title"], 200)
    context["metatags"] += f'<meta name="description" content="{escape(text)}">'


def list_references(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let references be items of their list; docutils writes a role that a list may not
    contain.
    """
    if "body" in context:
        context["body"] = context["body"].replace(
            'role="doc-biblioentry"', 'role="listitem"'
        )


def list_headings(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give pages of the reference its headings as their menu, in place of 60 names."""
    if page.startswith("reference/"):
        [whole] = app.env.tocs["reference/index"]
        links = [next(item.findall(nodes.reference)) for item in whole[1]]
        context["headings"] = [(link.astext(), link["anchorname"]) for link in links]


def install_from_the_index(app: Any, page: str, source: list[str]) -> None:
    """Once there is a release, let pages install it; they are written for a
    checkout.
    """
    if RELEASED and page in FOR_USERS:
        for rule in FOR_THE_INDEX:
            source[0] = re.sub(rule["pattern"], rule["replacement"], source[0])


def link_to_the_gallery(app: Any, page: str, source: list[str]) -> None:
    """Let links to scripts of the gallery lead to their pages. A code host has no
    such pages, and shows the scripts.
    """
    script, page_of_script = r"\]\(gallery/(\w+)\.py\)", r"](auto_examples/\1.rst)"
    source[0] = re.sub(script, page_of_script, source[0])


def ship_mathjax(app: Any, exception: Exception | None) -> None:
    """Copy the part of MathJax that the pages use, so that formulas need no network."""
    if exception is not None or app.builder.format != "html":
        return
    spec = find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the site ships MathJax: pip install . --group docs")
    source = Path(spec.origin).parent / "static" / "mathjax"
    shipped = Path(app.outdir) / "_static" / "mathjax"
    fonts = Path("output") / "chtml" / "fonts" / "woff-v2"
    ensuredir(shipped)
    shutil.copy(source / "tex-chtml.js", shipped)
    shutil.copytree(source / fonts, shipped / fonts, dirs_exist_ok=True)


def name_toggles(app: Any, exception: Exception | None) -> None:
    """Give the buttons that expand a section a name, for readers who hear the page."""
    if exception is not None or app.builder.format != "html":
        return
    toggle = '><span class="toctree-toggle"'
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text()
        if f"<summary{toggle}" in text:
            named = f'<summary aria-label="Show or hide its pages"{toggle}'
            page.write_text(text.replace(f"<summary{toggle}", named))


def setup(app: Any) -> None:
    """Connect the functions of this file to Sphinx."""
    app.connect("source-read", install_from_the_index)
    app.connect("source-read", link_to_the_gallery)
    app.connect("missing-reference", link_to_other_manuals)
    app.connect("doctree-read", strip_code_blocks)
    app.connect("doctree-read", describe_pictures)
    app.connect("html-page-context", let_names_break)
    app.connect("html-page-context", describe_page)
    app.connect("html-page-context", list_references)
    app.connect("html-page-context", list_headings)
    app.connect("build-finished", ship_mathjax)
    app.connect("build-finished", name_toggles)

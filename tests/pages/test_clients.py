"""The code of docs/in_other_libraries.md runs in the libraries: `pytest -m clients`."""

import pytest

from docs.scripts.clients import DATA, ONE_LINE, PAGE, SECTIONS, run, sections, versions

TEXT = PAGE.read_text()
ON_PAGE = sections(TEXT)
BELOW = sections(ONE_LINE.read_text()) | ON_PAGE


@pytest.mark.clients
@pytest.mark.parametrize("heading", SECTIONS)
def test_code_of_a_section_prints_what_the_page_says(heading):
    if versions(heading) is None:
        pytest.skip(f"{' or '.join(SECTIONS[heading])} is not installed")
    result = run(PAGE, heading)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_section_is_on_the_page_or_with_those_of_one_line():
    assert list(ON_PAGE) == [
        DATA,
        *(name for name in SECTIONS if name in ON_PAGE),
        "Versions",
    ]
    assert set(BELOW) == {DATA, *SECTIONS, "Versions"}
    assert all(">>> " in BELOW[heading] for heading in (DATA, *SECTIONS))

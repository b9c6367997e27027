"""Print tables as Markdown."""

__all__ = ["share", "show", "table"]


def show(title: str, text: str) -> None:
    print(f"## {title}\n\n{text.strip()}\n", flush=True)


def table(headers: tuple[str, ...], rows: list[list[str]]) -> str:
    from tabulate import tabulate

    align = ("left", *["right"] * (len(headers) - 1))
    return tabulate(rows, headers, tablefmt="pipe", colalign=align, disable_numparse=True)


def share(value: float) -> str:
    """Return a share with three digits, and without the zero before the point."""
    sign = "-" if value < 0 else ""
    return sign + f"{abs(value):.3f}".removeprefix("0")

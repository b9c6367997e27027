"""`python -m sklearn_ap.compatibility`: print the page of all conventions."""

from ._page import page

if __name__ == "__main__":
    print(page(), end="")

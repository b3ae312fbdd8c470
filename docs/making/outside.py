"""What a reader's browser would fetch from other machines: there must be nothing."""

from html.parser import HTMLParser
from pathlib import Path
from re import compile as pattern

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "video": "src"}
RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "modulepreload"}
STYLED = pattern(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)'\"\s]+")


class Requests(HTMLParser):
    """Addresses beyond the site that a page loads by itself; links are followed by people."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        wanted = given.get(FETCHED.get(tag, ""), "")
        if tag == "link" and RELATIONS & set(given.get("rel", "").split()):
            wanted = given.get("href", "")
        if wanted.startswith(("http:", "https:", "//")):
            self.found.append(wanted)
        self.found += STYLED.findall(given.get("style", ""))


def find_requests(site: Path) -> list[str]:
    found = []
    for page in sorted(site.rglob("*.html")):
        reader = Requests()
        text = page.read_text(encoding="utf-8")
        reader.feed(text)
        found += [f"{page.name} asks for {address}" for address in reader.found]
    for sheet in sorted(site.rglob("*.css")):
        asked = STYLED.findall(sheet.read_text(encoding="utf-8"))
        found += [f"{sheet.name} asks for {address}" for address in asked]
    return found

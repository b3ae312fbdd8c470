"""What mkdocs asks while it builds the site: pages from the root, tables, the reference, formulas.

A line ``{{ kinds }}`` of a page is replaced by what ``tables.kinds`` makes, and
``{{ members figures }}`` by what ``reference.members`` does.
"""

import re
from pathlib import Path
from typing import Any

import formulas
import outside
import reference
import tables
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parents[2]
# Files of the root that are pages too, or can be had from one.
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
DOWNLOADS = ("stores.csv", "stores.py", "states.py", "odd_ones_out.py")
MAKERS = {
    made.__name__: made
    for made in (
        *(tables.kinds, tables.simulated, tables.real, reference.members, reference.one),
        *(reference.commands, reference.server_limits, reference.shared_parameters),
    )
}
SEARCH_SCRIPT = "https://unpkg.com/iframe-worker/shim"
BOOSTS = {"questions.md": 4, "data.md": 2, "index.md": 2, "changelog.md": 0.5}  # in the search
PICTURE = re.compile(r'<img [^>]*src="(?P<file>pictures/[^"#]+)[^>]*>')
WANTED = re.compile(r"^\{\{ (?P<maker>\w+)(?: (?P<what>[\w.]+))? \}\}$", re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, its_page in PAGES.items():
            text = text.replace(f"]({other})", f"]({its_page})")
        files.append(File.generated(config, page, content=text))
    for name in DOWNLOADS:
        content = (ROOT / "examples" / name).read_bytes()
        files.append(File.generated(config, f"examples/{name}", content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that lead out of the folder, as they do where the files lie, stay within the site."""
    page.meta["search"] = {"boost": BOOSTS.get(page.file.src_path, 1)}
    for name, its_page in PAGES.items():
        markdown = markdown.replace(f"](../{name}", f"]({its_page}")
    return WANTED.sub(make, markdown.replace("](../examples/", "](examples/"))


def make(found: re.Match[str]) -> str:
    if found["maker"] not in MAKERS:
        raise PluginError(f"{found[0]}: there is nobody who makes this")
    return MAKERS[found["maker"]](*filter(None, [found["what"]]))


def on_page_content(html: str, **_: Any) -> str:
    """Formulas without a library; pictures that a click shows in full size."""
    linked = PICTURE.sub(r'<a class="picture" href="\g<file>">\g<0></a>', html)
    return formulas.as_mathml(linked)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """The theme's search asks another machine for a script where ours does."""
    return output.replace(SEARCH_SCRIPT, get_relative_url("making/search_worker.js", page.url))


def on_post_template(output_content: str, **_: Any) -> str:
    return output_content.replace(SEARCH_SCRIPT, "/making/search_worker.js")


def on_post_build(config: Any) -> None:
    if found := outside.find_requests(Path(config.site_dir)):
        raise PluginError("A reader's browser would ask other machines: " + "; ".join(found))

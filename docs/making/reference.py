"""The reference: public names from their docstrings, commands from their ``--help``."""

import inspect
import re
from argparse import ArgumentParser
from importlib import import_module
from textwrap import dedent, indent
from types import ModuleType
from typing import Any

import stcmtl
from stcmtl.cli.parser import COMMANDS, build_parser
from stcmtl.studio import limits

SECTION = re.compile(r"^(?P<title>[A-Z][a-z ]+)\n-{3,}$", re.MULTILINE)
ITEM = re.compile(r"^(?P<what>\S.*)\n?(?P<more>(?:(?:    .*)?\n?)*)", re.MULTILINE)
CODE = re.compile(r"``(.+?)``", re.DOTALL)


def names_of(home: str) -> list[str]:
    """Public names of ``stcmtl`` itself that are no modules, or of one of its modules."""
    module = stcmtl if home == "stcmtl" else getattr(stcmtl, home)
    found = getattr(module, "__all__", dir(module))
    return [name for name in found if is_documented(getattr(module, name))]


def is_documented(thing: Any) -> bool:
    return callable(thing) and not isinstance(thing, ModuleType)


def members(home: str) -> str:
    """Every public name of a module, with its signature and docstring."""
    module = stcmtl if home == "stcmtl" else getattr(stcmtl, home)
    path = "stcmtl" if home == "stcmtl" else f"stcmtl.{home}"
    parts = [describe(f"{path}.{name}", getattr(module, name)) for name in names_of(home)]
    return "\n\n".join(parts)


def one(path: str) -> str:
    """One name by its full path, such as stcmtl.report.write_report."""
    home, _, name = path.rpartition(".")
    return describe(path, getattr(import_module(home), name))


def describe(path: str, thing: Any) -> str:
    name = path.removeprefix("stcmtl.")
    parts = [f"### `{name}`", f"```text\n{sign(path.rpartition('.')[2], thing)}\n```"]
    parts.append(as_markdown(inspect.getdoc(thing) or ""))
    if inspect.isclass(thing):
        for method in own_methods(thing):
            signature = sign(method.__name__, method)
            parts.append(f"**`{signature}`**\n\n{as_markdown(inspect.getdoc(method) or '')}")
    return "\n\n".join(parts)


def own_methods(thing: type) -> list[Any]:
    """What our classes do beyond what scikit-learn's do."""
    found = inspect.getmembers(thing, inspect.isfunction)
    ours = [m for name, m in found if not name.startswith("_") and "stcmtl" in m.__module__]
    return [m for m in ours if inspect.getdoc(m)]


def sign(name: str, thing: Any) -> str:
    """A signature without types: the docstring tells them in words."""
    given = [
        p.replace(annotation=p.empty)
        for p in inspect.signature(thing).parameters.values()
        if p.name != "self"
    ]
    shown = [re.sub(r"<function (\w+) at 0x\w+>", r"\1", str(p)) for p in given]
    first = next((i for i, p in enumerate(given) if p.kind is p.KEYWORD_ONLY), None)
    if first is not None and not any(p.kind is p.VAR_POSITIONAL for p in given):
        shown.insert(first, "*")
    line = f"{name}({', '.join(shown)})"
    return line if len(line) < 100 else f"{name}(\n    " + ",\n    ".join(shown) + ",\n)"


def as_markdown(doc: str) -> str:
    """numpydoc's sections as lists, doctests as code, indented lines as they are."""
    head, *rest = SECTION.split(doc)
    parts = [plain(head)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        body = body.strip("\n")
        if title in ("Parameters", "Attributes", "Returns"):
            parts.append(f"**{title}**\n\n{items(body)}")
        else:
            parts.append(f"**{title}**\n\n{plain(body)}")
    return "\n\n".join(part for part in parts if part.strip())


def items(body: str) -> str:
    lines = []
    for found in ITEM.finditer(dedent(body)):
        what, more = found["what"].strip(), dedent(found["more"]).strip()
        name, colon, kind = what.partition(" : ")
        head = f"`{name}`{': ' + inline(kind) if colon else ''}"
        lines.append(f"- {head}" + (f"\n\n{indent(plain(more), '    ')}" if more else ""))
    return "\n".join(lines)


def plain(text: str) -> str:
    """Paragraphs as they are, but for doctests and formulas, which are code."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if block.lstrip().startswith(">>>"):
            blocks.append(f"```pycon\n{dedent(block)}\n```")
        elif all(line.startswith("    ") for line in block.splitlines() if line):
            blocks.append(f"```text\n{dedent(block)}\n```")
        else:
            blocks.append(inline(block))
    return "\n\n".join(blocks)


def inline(text: str) -> str:
    """Two backticks are one in Markdown; a star or an underscore in words is itself."""
    parts = CODE.split(text)
    parts[::2] = [re.sub(r"(?<!`)([*_|<])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    return "".join(parts)


def server_limits() -> str:
    """What one visitor may ask of a server, as the code has it: variable, value, meaning."""
    lines = inspect.getsource(limits.Limits).splitlines()
    fields = [re.match(r"    (\w+): float = (\S+)  # (.*)", line) for line in lines]
    rows = [
        f"| `{limits.VARIABLE}{found[1].upper()}` | {float(found[2]):,.0f} | {found[3]} |"
        for found in filter(None, fields)
    ]
    return "\n".join(["| variable | as it is | |", "| --- | --- | --- |", *rows])


def commands() -> str:
    """Every subcommand's own help, as it prints it."""
    return "\n\n".join(f"### `{name}`\n\n```text\n{help_of(name)}\n```" for name in COMMANDS)


def help_of(name: str) -> str:
    parser = build_parser()
    for action in parser._actions:  # argparse has no other way to its subcommands
        if isinstance(choices := action.choices, dict) and name in choices:
            found = choices[name]
            assert isinstance(found, ArgumentParser)
            return found.format_help().strip()
    raise KeyError(name)

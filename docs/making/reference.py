"""The reference: public names from their docstrings, commands from their ``--help``."""

import inspect
import re
from argparse import ArgumentParser
from importlib import import_module
from textwrap import dedent, indent
from typing import Any

import stcmtl
from stcmtl import baselines
from stcmtl.cli.parser import COMMANDS, build_parser
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.studio import limits

SECTION = re.compile(r"^(?P<title>[A-Z][a-z ]+)\n-{3,}$", re.MULTILINE)
LISTED = ("Parameters", "Attributes", "Returns", "Raises")
NAMES = r"\*{0,2}\w+(?:, \*{0,2}\w+)*"
PAIR = re.compile(rf"({NAMES}) : (.*?)(?=, {NAMES} : |$)")  # of names and what they are
CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
LONG = 70  # letters: a line that goes on in the next
# A class that others are made from, whose methods are told once.
SHARED = {SemisoftTaskClustering, baselines.Baseline}


def members(home: str) -> str:
    """Every public name of a module, with its signature and docstring."""
    module = getattr(stcmtl, home)
    found = [name for name in module.__all__ if callable(getattr(module, name))]
    return "\n\n".join(describe(f"stcmtl.{home}.{name}", getattr(module, name)) for name in found)


def one(path: str) -> str:
    """One name by its full path, such as stcmtl.report.write_report."""
    home, _, name = path.rpartition(".")
    return describe(path, getattr(import_module(home), name))


def shared_parameters(home: str) -> str:
    """Those that a module's docstring describes for all its functions."""
    doc = inspect.getdoc(getattr(stcmtl, home)) or ""
    return items(re.split(r"\n\n", doc.split("share:\n\n")[1])[0])


def describe(path: str, thing: Any) -> str:
    name = path.removeprefix("stcmtl.").removeprefix("estimators.clustering.")
    parts = [f"### `{name}`", f"```text\n{sign(path.rpartition('.')[2], thing)}\n```"]
    parts.append(as_markdown(inspect.getdoc(thing) or ""))
    if inspect.isclass(thing):
        for method in own_methods(thing):
            signature = sign(method.__name__, method)
            parts.append(f"**`{signature}`**\n\n{as_markdown(inspect.getdoc(method) or '')}")
    return "\n\n".join(parts)


def own_methods(thing: type) -> list[Any]:
    """What our classes do beyond what scikit-learn's, and those they are made from, do."""
    inherited = {
        method.__qualname__
        for base in SHARED.intersection(thing.__mro__[1:])
        for _, method in inspect.getmembers(base, inspect.isfunction)
    }
    found = inspect.getmembers(thing, inspect.isfunction)
    ours = [m for name, m in found if not name.startswith("_") and "stcmtl" in m.__module__]
    return [m for m in ours if inspect.getdoc(m) and m.__qualname__ not in inherited]


def sign(name: str, thing: Any) -> str:
    """A signature without types: the docstring tells them in words."""
    given = [
        p.replace(annotation=p.empty)
        for p in inspect.signature(thing).parameters.values()
        if p.name != "self"
    ]
    shown = [shorten_default(str(p)) for p in given]
    first = next((i for i, p in enumerate(given) if p.kind is p.KEYWORD_ONLY), None)
    if first is not None and not any(p.kind is p.VAR_POSITIONAL for p in given):
        shown.insert(first, "*")
    line = f"{name}({', '.join(shown)})"
    return line if len(line) < 100 else f"{name}(\n    " + ",\n    ".join(shown) + ",\n)"


def shorten_default(parameter: str) -> str:
    """Functions by their names, records that are made anew as the call that makes them."""
    named = re.sub(r"<function (\w+) at 0x\w+>", r"\1", parameter)
    return re.sub(r"=(\w+)\(.+\)$", r"=\1()", named).replace("=<factory>", "=...")


def as_markdown(doc: str) -> str:
    """numpydoc's sections as lists, doctests as code, indented lines as they are."""
    head, *rest = SECTION.split(doc)
    parts = [plain(head)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        made = items(body.strip("\n")) if title in LISTED else plain(body)
        parts.append(f"**{title}**\n\n{made}")
    return "\n\n".join(part for part in parts if part.strip())


def items(body: str) -> str:
    """A list of names with what is said of each, then sentences and examples that follow it."""
    body, *examples = re.split(r"^(?=>>> )", dedent(body), maxsplit=1, flags=re.MULTILINE)
    lines, sentences = [], []
    for part in re.split(r"\n(?=\S)", body.strip("\n")):
        first, _, more = part.partition("\n")
        more = dedent(more).strip()
        if pairs := PAIR.findall(first):
            lines.append("- " + as_item(pairs, more, goes_on=len(first) > LONG))
        elif more and re.fullmatch(NAMES, first):
            lines.append("- " + as_item([(first, "")], more, goes_on=False))
        else:
            sentences.append(part)
    text = plain("\n".join([*sentences, "", *examples]))
    return "\n".join(lines) + (f"\n\n{text}" if text else "")


def as_item(pairs: list[tuple[str, str]], more: str, goes_on: bool) -> str:
    names = [(re.sub(r"[^, ]+", r"`\g<0>`", name), kind) for name, kind in pairs]
    head = "; ".join(f"{name}: {inline(kind)}" if kind else name for name, kind in names)
    if not more:
        return head
    if more[0].islower() or goes_on:  # the sentence goes on
        rest, *others = re.split(r"\n\s*\n", more, maxsplit=1)
        return "\n\n".join([f"{head} {inline(rest)}", *(indent(plain(o), "    ") for o in others)])
    return f"{head}\n\n{indent(plain(more), '    ')}"


def plain(text: str) -> str:
    """Paragraphs as they are, but for doctests and formulas, which are code."""
    blocks = []
    for block in filter(str.strip, re.split(r"\n\s*\n", text.strip("\n"))):
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
    parts[::2] = [re.sub(r"([*_|<])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"`{part.strip('`')}`" for part in parts[1::2]]
    return "".join(parts)


def server_limits() -> str:
    """What one visitor may ask of a server, as the code has it: variable, value, meaning."""
    lines = inspect.getsource(limits.Limits).splitlines()
    fields = [re.match(r"    (\w+): float = (\S+)  # (.*)", line) for line in lines]
    rows = [
        f"| `{limits.VARIABLE}{found[1].upper()}` | {float(found[2]):,.0f} | {found[3]} |"
        for found in filter(None, fields)
    ]
    return "\n".join(["| variable | default | |", "| --- | --- | --- |", *rows])


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

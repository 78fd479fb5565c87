"""What crosses a border between packages is exported by the package, nothing else."""

import ast
from pathlib import Path

import featsieve

ROOT = Path(featsieve.__file__).parent


def imported_modules(file):
    """Every name of featsieve that a file imports, with its module."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def crossings(file, root):
    """Modules inside another package that a file under `root` imports from."""
    own = file.relative_to(root).parts[0]
    for name in imported_modules(file):
        top, *rest = name.split(".")
        if top != "featsieve" or len(rest) < 2 or rest[0] == own or rest[1] == "api":
            continue
        inside = root / rest[0] / rest[1]
        if inside.is_dir() or inside.with_suffix(".py").exists():
            yield f"featsieve.{rest[0]}.{rest[1]}"


def library_only(file):
    """Modules for the library, not for users, that a file imports from."""
    for name in imported_modules(file):
        if name.startswith("featsieve.") and name.split(".")[2:3] == ["api"]:
            yield name


def exported(root):
    """Every name that a package offers to the others, with its module."""
    for file in root.glob("*/api.py"):
        own = f"featsieve.{file.parent.name}.api"
        yield from (
            f"{own}.{name.rpartition('.')[2]}" for name in imported_modules(file)
        )


def test_packages_import_only_what_others_export():
    found = [
        f"{file.relative_to(ROOT)}: {module}"
        for file in ROOT.rglob("*.py")
        for module in crossings(file, ROOT)
    ]
    assert not found


def test_a_private_import_is_seen(tmp_path):
    for package in ("one", "other"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "_inner.py").write_text("", encoding="utf-8")
        (tmp_path / package / "api.py").write_text("", encoding="utf-8")
    file = tmp_path / "one" / "_inner.py"
    file.write_text(
        "from featsieve.other._inner import x\n"
        "from featsieve.other import _inner, public\n"
        "from featsieve.other.api import y\n"
        "from featsieve.one._inner import z\n",
        encoding="utf-8",
    )
    assert list(crossings(file, tmp_path)) == ["featsieve.other._inner"] * 2


def test_the_command_line_imports_only_what_users_do():
    found = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in (ROOT / "cli").rglob("*.py")
        for name in library_only(file)
    ]
    assert not found


def test_an_import_for_the_library_only_is_seen(tmp_path):
    file = tmp_path / "view.py"
    file.write_text(
        "import featsieve\n"
        "import featsieve.data.api as inner\n"
        "from featsieve.data import api, read_table\n"
        "from featsieve.data.api import Target\n",
        encoding="utf-8",
    )
    assert list(library_only(file)) == [
        "featsieve.data.api",
        "featsieve.data.api",
        "featsieve.data.api.Target",
    ]


def test_what_is_exported_is_used_by_another_package():
    used = {
        name
        for file in ROOT.rglob("*.py")
        for name in imported_modules(file)
        if f"featsieve.{file.relative_to(ROOT).parts[0]}.api" not in name
    }
    assert [name for name in exported(ROOT) if name not in used] == []

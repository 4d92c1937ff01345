"""Layout of the code: folders of limited size, and features that use each other only through declared modules."""

import ast
from pathlib import Path

import pytest

import rooms

FEATURES = sorted(path.name for path in rooms.FEATURES.iterdir() if (path / "__init__.py").is_file())


def public_of(feature: str) -> set[str]:
    """Return the modules that a feature declares for others."""
    for node in ast.parse((rooms.FEATURES / feature / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC":
            return set(ast.literal_eval(node.value))
    return set()


@pytest.mark.parametrize("feature", FEATURES)
def test_other_features_import_what_a_feature_names_for_them_and_all_of_it(feature: str) -> None:
    imported = {
        each.of.split(".", 3)[3]
        for each in rooms.imports()
        if rooms.feature_of(each.of) == feature and rooms.feature_of(each.by) not in {None, feature}
    }
    assert imported == public_of(feature)


def test_no_two_features_import_each_other() -> None:
    crossed = rooms.crossings()
    assert not [(by, of) for by, of in crossed if (of, by) in crossed]


@pytest.mark.parametrize("folder", ["backend", "worker", "tests"])
def test_no_folder_holds_more_files_than_a_reader_can_keep_in_mind(folder: str) -> None:
    for path, files in rooms.folders_of(rooms.ROOT / folder, ".py"):
        most = rooms.MOST_FILES_OF_FEATURE if rooms.FEATURES in path.parents else rooms.MOST_FILES
        assert files <= most, f"{path.relative_to(rooms.ROOT)} has {files} files"


@pytest.mark.parametrize("folder", ["backend", "worker"])
def test_no_function_and_no_file_is_too_long(folder: str) -> None:
    assert list(rooms.long_functions(rooms.ROOT / folder)) == []
    assert list(rooms.long_files(rooms.ROOT / folder)) == []


def test_what_is_too_long_is_found(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("def f():\n" + "    pass\n" * rooms.MOST_LINES + "\n")
    assert [(name, lines) for _, name, lines in rooms.long_functions(tmp_path)] == [("f", rooms.MOST_LINES + 1)]
    assert [lines for _, lines in rooms.long_files(tmp_path)] == [rooms.MOST_LINES + 2]

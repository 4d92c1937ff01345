"""House rules about security: our code follows all, and each rule finds its bad examples and accepts the good ones.

Three tools share the work (decision 0031): ruff for the rules that it has, Biome with `frontend/house-rules.grit` for
pages, and the checks of Python's syntax tree in this file for rules that are particular to this project.
"""

import ast
import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
STOWAGE = "backend/stowage"
CHECKED = ("backend", "worker", "migrations")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule about Python that ruff does not have."""

    name: str
    why: str
    broken_by: Callable[[ast.AST], bool]
    """Whether a node of the syntax tree breaks the rule."""
    bad: tuple[str, ...]
    """Examples that break the rule."""
    good: tuple[str, ...]
    """Examples that do not break the rule."""
    allowed: Mapping[str, str] = field(default_factory=dict)
    """File -> why it may break the rule."""


def _called(node: ast.AST) -> str:
    """Return the last part of the name of the called function, or nothing."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _keyword(node: ast.AST, name: str) -> str:
    """Return the source of a keyword argument of a call, or nothing."""
    if not isinstance(node, ast.Call):
        return ""
    return next((ast.unparse(word.value) for word in node.keywords if word.arg == name), "")


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield target and value of an assignment."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)


def _sets_header(node: ast.AST, name: str, value: str = "") -> bool:
    return any(
        isinstance(target, ast.Subscript)
        and isinstance(target.slice, ast.Constant)
        and str(target.slice.value).lower() == name
        and value in ast.unparse(given)
        for target, given in _assigned(node)
    )


def _put_together(node: ast.expr) -> bool:
    """Check whether a string is composed at run time."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod)
    return _called(node) in {"format", "join"}


def _is_sql_put_together(node: ast.AST) -> bool:
    takes_sql = _called(node) in {"text", "literal_column", "exec_driver_sql"}
    return isinstance(node, ast.Call) and takes_sql and bool(node.args) and _put_together(node.args[0])


def _is_across_teams(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or _called(node) != "transaction":
        return _called(node) == "begun_by"
    return any(isinstance(given, ast.Constant) and given.value is None for given in _arguments(node))


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(word.value for word in call.keywords)]


_OF_TENANT = re.compile(r"(?i)stowage\.(org_id|actor)")
_SETTING = re.compile(r"(?i)\bset_config\b|\bset\s+(local\s+)?(role|session)\b|\brow_security\b")


def _is_tenant_set(node: ast.AST) -> bool:
    # Any string is checked for SQL, since it may reach `text` through a name.
    if isinstance(node, ast.Constant):
        sql = node.value.decode(errors="replace") if isinstance(node.value, bytes) else node.value
        return isinstance(sql, str) and bool(_SETTING.search(sql))
    if not isinstance(node, ast.Call) or _called(node) not in {"text", "exec_driver_sql"}:
        return _called(node) == "set_config"
    return any(isinstance(part, ast.Constant) and _OF_TENANT.search(str(part.value)) for part in ast.walk(node))


_METHODS = {"get", "post", "put", "patch", "delete", "api_route"}


def _is_undeclared_route(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    if any(one.arg in {"services", "_services"} and one.annotation for one in given):
        return False
    return any(
        re.fullmatch(r"(router|routes|app)\.(\w+)", ast.unparse(decorator.func))
        and _called(decorator) in _METHODS
        and _keyword(decorator, "include_in_schema") != "False"
        and _keyword(decorator, "dependencies") in {"", "[]"}
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
    )


def _is_cookie_made(node: ast.AST) -> bool:
    return _called(node) in {"set_cookie", "delete_cookie"} or _sets_header(node, "set-cookie")


def _is_redirect(node: ast.AST) -> bool:
    return _called(node) == "RedirectResponse" or _sets_header(node, "location", "query_params[")


_LOG = re.compile(r"(.*\.)?_?(log|logger|logging)")
_LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "log"}
_NEVER_LOGGED = re.compile(r"(?i)(.*\.)?(body|headers|cookies|password|secret|token|authorization|csrf)")


def _is_secret_logged(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _LEVELS:
        return False
    to_log = _LOG.fullmatch(ast.unparse(node.func.value))
    return bool(to_log) and any(_NEVER_LOGGED.fullmatch(ast.unparse(given)) for given in _arguments(node))


_SECRET = re.compile(r"(?i)(.*[._])?(secret|token|csrf|password|signature|secret_hash|nonce|state_secret)")


def _is_secret_compared(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return False
    left, right = node.left, node.comparators[0]
    if isinstance(right, ast.Constant) and right.value in (None, ""):
        return False
    # The database makes comparisons with a column.
    sides = [ast.unparse(left), *([ast.unparse(right)] if isinstance(right, ast.Name | ast.Attribute) else [])]
    return any(map(_SECRET.fullmatch, sides)) and not any(re.search(r"\.c\.\w+$", side) for side in sides)


def _is_unchecked(node: ast.AST) -> bool:
    if _keyword(node, "verify") == "False" or _keyword(node, "ssl_cert_reqs") in {"'none'", "None"}:
        return True
    if isinstance(node, ast.Attribute) and node.attr in {"CERT_NONE", "_create_unverified_context"}:
        return True
    return any(
        isinstance(target, ast.Attribute) and target.attr == "check_hostname" and ast.unparse(given) == "False"
        for target, given in _assigned(node)
    )


_WHO_ASKS = "finds out who asks, before it is known for which team"
_SHARED = "the catalog belongs to all teams"
_ALL_TEAMS = "what the operator or the service does for all teams"

RULES = (
    Rule(
        "sql-put-together-from-text",
        "Give values as parameters, and build names with SQLAlchemy's own constructs.",
        _is_sql_put_together,
        bad=(
            "connection.execute(text(f\"SELECT * FROM plan WHERE name = '{name}'\"))",
            'connection.execute(text("SELECT * FROM plan WHERE name = \'" + name + "\'"))',
            "connection.execute(text(\"SELECT * FROM plan WHERE name = '%s'\" % name))",
            'connection.execute(text("SELECT * FROM {}".format(table)))',
            'connection.execute(sqlalchemy.text(" AND ".join(conditions)))',
            "connection.exec_driver_sql(f\"SELECT * FROM plan WHERE name = '{name}'\")",
            "select(literal_column(f\"'{name}'\"))",
        ),
        good=(
            'connection.execute(text("SELECT * FROM plan WHERE name = :name"), {"name": name})',
            'connection.exec_driver_sql("SELECT * FROM plan WHERE name = %s", (name,))',
        ),
    ),
    Rule(
        "across-teams",
        "A transaction for no team reads across all of them as the auth role; only the modules listed may open one.",
        _is_across_teams,
        bad=(
            "with gate.transaction(None) as connection: pass",
            "with database.transaction(None) as connection: pass",
            "with database.transaction(org_id=None) as connection: pass",
            "with database.begun_by(caller) as (found, begun): pass",
        ),
        good=("with database.transaction(org_id) as connection: pass",),
        allowed={
            f"{STOWAGE}/platform/database/database.py": "defines it",
            f"{STOWAGE}/platform/database/migration.py": "migrates as the owner of the tables",
            f"{STOWAGE}/platform/database/sealed.py": "re-encrypts the secrets of all teams, as the owner",
            f"{STOWAGE}/features/catalog/catalogs.py": _SHARED,
            f"{STOWAGE}/features/explore/exploration.py": _SHARED,
            **{
                f"{STOWAGE}/{name}.py": _WHO_ASKS
                for name in (
                    "features/teams/sign_in/accounts",
                    "features/teams/sign_in/oidc",
                    "features/teams/sign_in/passkeys",
                    "features/teams/sign_in/proofs",
                    "features/teams/sign_in/provider_checks",
                    "features/teams/sign_in/second_factors",
                    "features/teams/sign_in/sessions",
                    "features/teams/sign_in/signing_in",
                    "features/teams/sign_in/tokens",
                    "features/teams/invitations",
                    "features/reports/links",
                    "features/teams/sign_in/recording",
                    "platform/throttling",
                )
            },
            f"{STOWAGE}/features/teams/members.py": "whether a member is in another team too",
            f"{STOWAGE}/cli/server/findings.py": _ALL_TEAMS,
            **{
                f"{STOWAGE}/{name}.py": _ALL_TEAMS
                for name in (
                    "platform/jobs/jobs",
                    "features/benchmarks/reaping",
                    "features/benchmarks/running",
                    "features/monitoring/watching",
                    "features/planning/watches/checking",
                    "features/reports/schedules",
                    "features/activity/delivering",
                    "features/calibration/refitting",
                    "features/teams/operators",
                    "cli/server/preparation",
                )
            },
        },
    ),
    Rule(
        "session-past-the-second-factor",
        "Sessions begin in `second_factors.enter`, which requires the second factor after every first factor.",
        lambda node: isinstance(node, ast.Attribute) and node.attr == "begin" and ast.unparse(node) == "sessions.begin",
        bad=("return sessions.begin(gate, person_id, entry)", "enter = sessions.begin"),
        good=("return second_factors.enter(gate, person_id, entry)",),
        allowed={
            f"{STOWAGE}/features/teams/sign_in/second_factors.py": "requires it",
            f"{STOWAGE}/features/teams/invitations.py": "continues the session of a signed-in person in another team",
        },
    ),
    Rule(
        "tenant-set-by-hand",
        "`Database.transaction` alone sets whose rows a transaction sees; a setting made elsewhere may outlive it.",
        _is_tenant_set,
        bad=(
            'connection.execute(text("SELECT set_config(\'stowage.org_id\', :org_id, false)"), {"org_id": org_id})',
            'connection.execute(text("SET ROLE stowage_gate"))',
            'wire.exec_(b"SET ROLE stowage_gate")',
            'connection.execute(text("SET LOCAL row_security = off"))',
            'LEAVE = "SET LOCAL ROLE stowage_gate"',
            'connection.execute(select(func.set_config("stowage.org_id", org_id, False)))',
        ),
        good=('connection.execute(text("SELECT FROM plan"))',),
        allowed={
            f"{STOWAGE}/platform/database/database.py": "sets it",
            f"{STOWAGE}/platform/database/columns.py": "reads it, for the default of a column",
            f"{STOWAGE}/platform/audit.py": "reads address and request from it",
        },
    ),
    Rule(
        "route-without-declaration",
        "A route declares who may call it: `services` of a type made by `needs`, or `dependencies=[public(...)]`.",
        _is_undeclared_route,
        bad=(
            '@router.get("/plans")\ndef list_plans(limit: int = 50): return limit',
            '@router.post("/plans", status_code=201)\nasync def save_plan(file: dict) -> dict: return file',
            '@routes.get("/plans", dependencies=[])\ndef list_plans(services): return services',
        ),
        good=(
            '@router.get("/sweeps")\ndef list_sweeps(services: Reading, limit: int = 50): return services, limit',
            '@router.get("/validation")\ndef read_validation(_services: Reading): return None',
            '@router.get("/health", dependencies=[public("probes never sign in")])\nasync def health(): return "ok"',
            '@app.get("/page", include_in_schema=False)\ndef page(): return None',
        ),
    ),
    Rule(
        "cookie-made-by-hand",
        "web/cookies.py alone sets cookies: it knows HttpOnly, Secure, SameSite and the name that goes with them.",
        _is_cookie_made,
        bad=(
            'response.set_cookie("session", secret)',
            'response.delete_cookie("session")',
            'response.headers["Set-Cookie"] = f"session={secret}"',
        ),
        good=('response.headers["Location"] = "/"',),
        allowed={f"{STOWAGE}/web/cookies.py": "sets them"},
    ),
    Rule(
        "redirect-to-what-was-sent",
        "Only the way back from the OpenID provider redirects, to a path that `oidc.safe_path` let through.",
        _is_redirect,
        bad=(
            'back = RedirectResponse(request.query_params["next"])',
            'response.headers["Location"] = request.query_params["next"]',
        ),
        good=('response.headers["Location"] = "/api/v1/plans"',),
        allowed={f"{STOWAGE}/features/teams/sign_in/routes.py": "comes back from the provider"},
    ),
    Rule(
        "body-or-header-in-a-log",
        "A log holds no body, no header and no secret; name what happened, and the fields in `stowage.logs.FIELDS`.",
        _is_secret_logged,
        bad=(
            'log.info("refused %s", password)',
            'log.warning("body: %s", body)',
            '_logger.error("headers: %s", request.headers)',
            'self.log.error("refused", extra=request.headers)',
        ),
        good=('log.info("refused %s", name)',),
    ),
    Rule(
        "secret-compared-by-value",
        "The time that `==` takes tells how much is right; look a secret up by its digest, or use hmac.compare_digest.",
        _is_secret_compared,
        bad=(
            "fits = secret == given",
            "fits = given == secret",
            'fits = session.csrf != request.headers["x-csrf-token"]',
        ),
        good=(
            "found = secrets_table.c.secret_hash == given",
            "fits = hmac.compare_digest(secret, given)",
            'absent = secret == ""',
        ),
        allowed={f"{STOWAGE}/model/formula.py": "a token of the grammar of formulas"},
    ),
    Rule(
        "certificate-not-checked",
        "TLS without a checked certificate protects nothing.",
        _is_unchecked,
        bad=(
            "requests.get(address, verify=False)",
            "context.check_hostname = False",
            "context.verify_mode = ssl.CERT_NONE",
            "context = ssl._create_unverified_context()",
            'Redis.from_url(url, ssl_cert_reqs="none")',
        ),
        good=("requests.get(address, timeout=5)",),
    ),
)


@dataclass(frozen=True, slots=True)
class RuffRule:
    """A rule that ruff checks (`make check`), and its ruff codes."""

    name: str
    codes: frozenset[str]
    bad: tuple[str, ...]
    good: tuple[str, ...]


RUFF_RULES = (
    RuffRule(
        "weak-hash",
        frozenset({"S324", "TID251"}),
        bad=(
            "hashlib.md5(content)",
            "hashlib.sha1(content)",
            "hashlib.md5(content, usedforsecurity=False)",
            'hashlib.new("md5", content)',
        ),
        good=("hashlib.sha256(content)",),
    ),
    RuffRule(
        "guessable",
        frozenset({"S311", "TID251"}),
        bad=(
            'random.choice("abc")',
            'random.choices("abc")',
            "random.getrandbits(8)",
            "random.randint(1, 2)",
            "random.randbytes(8)",
            "uuid.uuid1()",
        ),
        good=("uuid.uuid4()",),
    ),
    RuffRule(
        "through-a-shell",
        frozenset({"S602", "S604", "S605"}),
        bad=(
            'subprocess.run(f"ls {content}", shell=True)',
            'run(f"ls {content}", shell=True)',
            'os.system(f"ls {content}")',
            'os.popen(f"ls {content}")',
        ),
        good=('subprocess.run(["ls", content], check=True)',),
    ),
    RuffRule(
        "code-from-data",
        frozenset({"S102", "S301", "S302", "S307"}),
        bad=(
            "eval(content)",
            "exec(content)",
            "pickle.loads(content)",
            "pickle.load(content)",
            "marshal.loads(content)",
        ),
        good=("int(content)",),
    ),
)
SILENCED = {
    "S311": {"worker/stowage_worker/agent/mailbox.py"},  # spreads retries
}
"""Files in which a code of these rules may be silenced (`noqa`)."""

PAGE_RULES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text-as-markup": (
        (
            "document.body.innerHTML = text;",
            "document.body.outerHTML += text;",
            'document.querySelector("p")?.insertAdjacentHTML("beforeend", text);',
            "document.write(text);",
            "show(<div dangerouslySetInnerHTML={{ __html: text }} />);",
            "show({ dangerouslySetInnerHTML: { __html: text } });",
        ),
        ("document.title = text;", "show(document.body.innerHTML === text);", "show(<div>{text}</div>);"),
    ),
    "text-as-script": (
        ("eval(text);", "new Function(text);", 'setTimeout("go()", 10);', "window.setInterval(`go(${text})`, 10);"),
        ("setTimeout(() => show(text), 10);",),
    ),
    "new-tab-with-a-way-back": (
        (
            'show(<a href={text} target="_blank" />);',
            'show(<Anchor href={text} target="_blank" rel="noopener">text</Anchor>);',
        ),
        ('show(<a href={text} target="_blank" rel="noreferrer" />);',),
    ),
    "secret-in-web-storage": (
        (
            'localStorage.setItem("key", csrf);',
            'window.sessionStorage.setItem("key", session.token);',
            'window.localStorage.setItem("key", password);',
        ),
        ('localStorage.setItem("scheme", scheme);', 'localStorage.getItem("token");'),
    ),
    "cookie-written-by-script": (
        ("document.cookie = text;", "window.document.cookie = text;"),
        ("show(document.cookie);",),
    ),
}
"""Rules of `frontend/house-rules.grit`: bad examples, good examples."""


_CHECKED_NODES = (
    *(ast.Assign, ast.AsyncFunctionDef, ast.Attribute, ast.Call, ast.Compare, ast.Constant, ast.FunctionDef),
)


def broken_in(source: str) -> set[tuple[str, int]]:
    """Return names of broken rules and the lines that break them."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, _CHECKED_NODES)]
    return {(rule.name, getattr(node, "lineno", 0)) for rule in RULES for node in nodes if rule.broken_by(node)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_its_bad_examples_and_leaves_the_good_ones(rule: Rule) -> None:
    for example in rule.bad:
        assert rule.name in {name for name, _ in broken_in(example)}, example
    for example in rule.good:
        assert rule.name not in {name for name, _ in broken_in(example)}, example


def test_our_code_breaks_no_rule_outside_the_files_that_may() -> None:
    allowed = {(rule.name, file) for rule in RULES for file in rule.allowed}
    broken: dict[tuple[str, str], list[int]] = {}
    files = [file for folder in CHECKED for file in sorted((ROOT / folder).rglob("*.py"))]
    assert len(files) > 300
    for file in files:
        for name, line in broken_in(file.read_text()):
            broken.setdefault((name, str(file.relative_to(ROOT))), []).append(line)
    assert {place: lines for place, lines in broken.items() if place not in allowed} == {}
    # An exception that no code needs any more must be removed.
    assert allowed - set(broken) == set()


@pytest.mark.parametrize("rule", RUFF_RULES, ids=lambda rule: rule.name)
def test_ruff_finds_the_bad_examples_and_leaves_the_good_ones(rule: RuffRule) -> None:
    used = ("hashlib", "marshal", "os", "pickle", "random", "subprocess", "uuid")
    lines = [*(f"import {name}" for name in used), *rule.bad, *rule.good]
    done = subprocess.run(
        [ROOT / ".venv/bin/ruff", "check", "--output-format=json", "--stdin-filename", f"{STOWAGE}/example.py", "-"],
        input="\n".join(lines),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {each["location"]["row"] for each in json.loads(done.stdout) if each["code"] in rule.codes}
    assert [lines[row - 1] for row in sorted(found)] == list(rule.bad)


def test_rules_of_ruff_are_silenced_only_where_it_is_listed() -> None:
    codes = {code for rule in RUFF_RULES for code in rule.codes}
    silenced: dict[str, set[str]] = {}
    for folder in CHECKED:
        for file in (ROOT / folder).rglob("*.py"):
            for comment in re.findall(r"# (?:ruff: )?noqa(?:: ([A-Z0-9, ]+))?", file.read_text()):
                for code in codes.intersection(re.findall(r"[A-Z]+\d+", comment)) or ({"all"} if not comment else ()):
                    silenced.setdefault(code, set()).add(str(file.relative_to(ROOT)))
    assert silenced == SILENCED


def test_biome_finds_the_bad_examples_of_the_page_and_leaves_the_good_ones(tmp_path: Path) -> None:
    frontend = ROOT / "frontend"
    plugin = "./house-rules.grit"
    assert json.loads((frontend / "biome.json").read_text())["plugins"] == [plugin]
    (tmp_path / "biome.json").write_text(json.dumps({"plugins": [str(frontend / plugin)]}))
    examples = [(name, line) for name, (bad, _) in PAGE_RULES.items() for line in bad]
    good = [("", line) for _, good in PAGE_RULES.values() for line in good]
    (tmp_path / "example.tsx").write_text("\n".join(line for _, line in examples + good) + "\n")
    done = subprocess.run(
        [frontend / "node_modules/.bin/biome", "lint", "--reporter=json", "--max-diagnostics=none", "example.tsx"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {
        (each["message"].split(":", 1)[0], each["location"]["start"]["line"])
        for each in json.loads(done.stdout)["diagnostics"]
        if each["category"] == "plugin" and each["severity"] == "error"
    }
    assert found == {(name, number) for number, (name, _) in enumerate(examples, 1)}

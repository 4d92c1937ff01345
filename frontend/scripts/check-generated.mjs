// Fails if src/api/generated is not what `npm run generate` makes of openapi.json.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kept = "src/api/generated";
const fresh = mkdtempSync(join(tmpdir(), "stowage-generated-"));

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}

try {
  execFileSync("node_modules/.bin/openapi-ts", ["--silent"], {
    env: { ...process.env, STOWAGE_GENERATED: fresh },
    stdio: "inherit",
  });
  execFileSync(process.execPath, ["scripts/registry.mjs", fresh], { stdio: "inherit" });
  const [before, after] = [filesIn(kept), filesIn(fresh)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const differing = names.filter((name) => before.get(name) !== after.get(name));
  if (differing.length > 0) {
    process.stderr.write(`${kept} is stale (${differing.join(", ")}): run \`npm run generate\`\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write(`${kept} is up to date: ${names.length} files\n`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

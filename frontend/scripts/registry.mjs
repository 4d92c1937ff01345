// Writes the constants that the API description carries: `node scripts/registry.mjs FOLDER`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? "src/api/generated";
const { cell_colours, cost_parts, currency_signs, near_tie, risk_levels, sweep_quantities, tools, volume_types } =
  JSON.parse(readFileSync("openapi.json", "utf8"))["x-registry"];

writeFileSync(
  join(folder, "registry.gen.ts"),
  `// This file is auto-generated from openapi.json by scripts/registry.mjs

export const COST_PARTS = ${JSON.stringify(cost_parts, null, 2)} as const;

/** Sign in front of an amount by currency; null for a currency that is written with its code. */
export const CURRENCY_SIGNS = ${JSON.stringify(currency_signs, null, 2)} as const;

export const RISK_LEVELS = ${JSON.stringify(risk_levels, null, 2)} as const;

export const NEAR_TIE = ${JSON.stringify(near_tie)};

export const CELL_COLOURS = ${JSON.stringify(cell_colours, null, 2)} as const;

export const SWEEP_QUANTITIES = ${JSON.stringify(sweep_quantities, null, 2)} as const;

export const TOOLS = ${JSON.stringify(tools, null, 2)} as const;

export const VOLUME_TYPES = ${JSON.stringify(volume_types, null, 2)} as const;
`,
);

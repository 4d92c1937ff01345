// Colors of the styles that a drawing of the service names; documents/charts/svg.py contains the light variants.

import type { CSSProperties } from "react";
import { CELL_COLOURS } from "@/api/generated/registry.gen";
import { RESOURCES } from "@/lib/resources";

const WHITE = "#ffffff";
const BLACK = "#10171a";

const INKS: Record<string, string> = {
  ground: "var(--surface)",
  grid: "var(--edge)",
  axis: "var(--mantine-color-placeholder)",
  text: "var(--mantine-color-text)",
  "text-strong": "var(--mantine-color-text)",
  "text-faint": "var(--mantine-color-dimmed)",
  frontier: "var(--mantine-color-text)",
  ring: "var(--mantine-color-text)",
  "on-cell": "var(--mantine-color-text)",
  faint: "var(--mantine-color-default-border)",
  limit: "var(--mantine-color-error)",
};

const WITH_WHITE_TEXT: readonly string[] = ["network", "data link", "launch"];

const SERIES = [1, 2, 3, 4, 5, 6];
/** Olive is too bright for white text, in either color scheme. */
const OLIVE = 3;

const HEATS = [0, 1, 2, 3, 4, 5, 6];

/** Return the styles of a series and of text on its color. */
function seriesInks(style: string, colour: string, text: string): [string, CSSProperties][] {
  return [
    [style, { "--ink": colour } as CSSProperties],
    [`on-${style}`, { "--ink": text, "--behind": colour, "--rim": 5 } as CSSProperties],
  ];
}

/** Return the styles of a cell's color and of text on it, which has no halo. */
function cellInks(style: string, { fill, ink }: { fill: string; ink: string }): [string, CSSProperties][] {
  return [
    [style, { "--ink": fill } as CSSProperties],
    [`on-${style}`, { "--ink": ink, "--rim": 0 } as CSSProperties],
  ];
}

/** CSS variables of each style: its ink, and the halo of text on a color. */
export const STYLES: Readonly<Record<string, CSSProperties>> = Object.fromEntries([
  ...Object.entries(INKS).map(([style, ink]) => [style, { "--ink": ink }] as const),
  ...Object.entries(RESOURCES).flatMap(([kind, { colour }]) =>
    seriesInks(kind.toLowerCase().replaceAll(" ", "-"), colour, WITH_WHITE_TEXT.includes(kind) ? WHITE : BLACK),
  ),
  ...SERIES.flatMap((number) =>
    seriesInks(`series-${number}`, `var(--series-${number})`, number === OLIVE ? BLACK : "var(--on-series)"),
  ),
  ...CELL_COLOURS.scale.flatMap((colour, step) => cellInks(`scale-${step}`, colour)),
  ...CELL_COLOURS.families.flatMap((colours, hue) =>
    colours.flatMap((colour, step) => cellInks(`hue-${hue}-${step}`, colour)),
  ),
  ...HEATS.map((heat) => {
    const share = `${4 + 6 * heat}%`;
    return [`heat-${heat}`, { "--ink": `color-mix(in srgb, var(--accent) ${share}, var(--surface))` }] as const;
  }),
]);

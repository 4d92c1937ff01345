// Views of a sweep's cells: winner, cost, time, bottleneck.

import type { CellBestAnswer, SweepAnswer, SweepCellAnswer } from "@/api/generated";
import type { HeatCell } from "@/charts/figure";
import { RESOURCES, resourceKind, resourceName } from "@/lib/resources";
import { briefNumber, count, duration, durationRange, oneUnit, usd } from "@/lib/wording";
import { winnerName } from "./cell";
import { bestWord, moneyOfSweep } from "./money";
import type { Shown } from "./search";

/** Palette of Okabe and Ito without gray: the number of distinguishable winners; letters distinguish the rest. */
const HUES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"];

/** Mix a color light enough for text in both themes. */
function tint(colour: string): string {
  return `color-mix(in srgb, ${colour} 32%, var(--surface))`;
}

/** Mix a shade from the lowest to the highest value, of the accent color. */
function shade(share: number): string {
  return `color-mix(in srgb, var(--accent) ${(4 + 36 * share).toFixed(1)}%, var(--surface))`;
}

export interface Winner {
  name: string;
  letter: string;
  fill: string;
  cells: (SweepCellAnswer & { best: CellBestAnswer })[];
}

/** Find all winners, those with the most cells first. */
export function winnersOf(cells: readonly SweepCellAnswer[]): Winner[] {
  const found = new Map<string, Winner["cells"]>();
  for (const cell of cells) {
    if (cell.best === null) continue;
    const won = { ...cell, best: cell.best };
    const name = winnerName(cell.best);
    found.set(name, [...(found.get(name) ?? []), won]);
  }
  // Sorted by name, so that colors stay the same regardless of the order in which cells arrive.
  const names = [...found.keys()].sort();
  return [...found]
    .sort(([a, first], [b, second]) => second.length - first.length || a.localeCompare(b))
    .map(([name, won]) => {
      const index = names.indexOf(name);
      return { name, letter: letterOf(index), fill: tint(HUES[index % HUES.length] ?? "#8A8A8A"), cells: won };
    });
}

function letterOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${letter}${Math.floor(index / 26)}`;
}

/** Return a function that maps a value to its share of the range, on a logarithmic scale. */
function shareWithin(values: number[]): (value: number) => number {
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => (high > low ? (Math.log(value) - low) / (high - low) : 0.5);
}

/** Return a function that computes the appearance of a cell. */
export function heatCells(
  sweep: Pick<SweepAnswer, "base" | "cells">,
  shown: Shown,
): (cell: SweepCellAnswer) => HeatCell {
  const { cells } = sweep;
  const money = moneyOfSweep(sweep);
  const won = cells.flatMap(({ best }) => (best === null ? [] : [best]));
  const winners = new Map(winnersOf(cells).map((winner) => [winner.name, winner]));
  const cost = shareWithin(won.map(money.at));
  const time = shareWithin(won.map(({ time_s }) => time_s.p50));
  return ({ best, sentence }) => {
    if (best === null) return { text: "none fits", brief: "—", rest: sentence };
    const cost_usd = money.at(best);
    const { p50: time_s } = best.time_s;
    const limit = resourceName(best.bottleneck);
    const who = `${count(best.nodes)} × ${winnerName(best)}`;
    const [cost_words, time_words] = money.both(best);
    const limited = `limited by ${limit}`;
    if (shown === "cost") {
      return {
        text: usd(cost_usd),
        brief: `$${briefNumber(cost_usd)}`,
        fill: shade(cost(cost_usd)),
        rest: `${who}, ${time_words}, ${limited}`,
      };
    }
    if (shown === "time") {
      return {
        text: oneUnit(time_s),
        brief: oneUnit(time_s)
          .replace(/ ?min$/, "m")
          .replace(" ", ""),
        fill: shade(time(time_s)),
        rest: `${who}, ${time_words}, ${cost_words}, ${limited}`,
      };
    }
    if (shown === "limit") {
      const { colour, glyph } = RESOURCES[resourceKind(best.bottleneck)];
      return {
        text: `${glyph} ${shortLimit(limit)}`,
        brief: glyph,
        fill: tint(colour),
        rest: `${who}, ${cost_words}, ${time_words}, ${limited}`,
      };
    }
    const winner = winners.get(winnerName(best));
    return {
      text: best.storage.kind === "ebs" ? `${best.instance} ${best.storage.type}` : best.instance,
      second: `${count(best.nodes)} ${best.nodes === 1 ? "node" : "nodes"}`,
      brief: winner?.letter ?? "",
      ...(winner === undefined ? {} : { fill: winner.fill }),
      rest: `${cost_words}, ${time_words}, ${limited}`,
    };
  };
}

/** Return a bottleneck name short enough for a cell; the details name the kind of disks. */
function shortLimit(limit: string): string {
  return limit.endsWith("disks") ? "disks" : limit;
}

/** Format the lowest to the highest value, each in full: `16 min 50 s–1 h 2 min`. */
export function spanOf(values: readonly number[], write: (value: number) => string): string {
  const [low, high] = [write(Math.min(...values)), write(Math.max(...values))];
  return low === high ? low : `${low}–${high}`;
}

/** Describe the grid in a sentence. */
export function captionOf(sweep: Pick<SweepAnswer, "base" | "cells" | "job">, shown: Shown): string {
  const partial = sweep.cells.length > 0 && sweep.cells.length < sweep.job.total;
  return `${partial ? "So far: " : ""}${whatToSee(sweep, shown)}`;
}

function whatToSee(sweep: Pick<SweepAnswer, "base" | "cells">, shown: Shown): string {
  const won = sweep.cells.flatMap(({ best }) => (best === null ? [] : [best]));
  const money = moneyOfSweep(sweep);
  if (won.length === 0)
    return sweep.cells.length === 0 ? "No cell is computed yet." : "Nothing fits in any cell so far.";
  const none = sweep.cells.length - won.length;
  const rest = none === 0 ? "" : ` Nothing fits in ${count(none)} of ${count(sweep.cells.length)} cells.`;
  if (shown === "cost")
    return `From ${spanOf(won.map(money.at), usd).replace("–", " to ")}${money.each}; the stronger the colour, the dearer.${rest}`;
  if (shown === "time")
    return `From ${spanOf(
      won.map((best) => best.time_s.p50),
      duration,
    ).replace("–", " to ")}; the stronger the colour, the longer.${rest}`;
  if (shown === "limit") {
    const limits = [...new Set(won.map((best) => resourceName(best.bottleneck)))];
    return `What limits the longest phase of each winner: ${limits.join(", ")}.${rest}`;
  }
  const [first, ...others] = winnersOf(sweep.cells);
  const best = bestWord(sweep);
  const most = `${first?.name} is ${best} in ${count(first?.cells.length ?? 0)} of ${count(won.length)} cells`;
  if (others.length === 0)
    return `${first?.name} is ${best} wherever something fits; its number of nodes differs.${rest}`;
  return `${most}${others.length > 0 ? `, ${others[0]?.name} in ${count(others[0]?.cells.length ?? 0)}` : ""}.${rest}`;
}

/** Return the figures of a cell's winner. */
export function bestFigures(best: CellBestAnswer, sweep: Pick<SweepAnswer, "base" | "cells">) {
  const money = moneyOfSweep(sweep);
  return {
    time: `${duration(best.time_s.p50)} (${durationRange(best.time_s)})`,
    costName: money.of === "month" ? "Always-on monthly cost" : "Cost of a run",
    cost: money.words(best),
  };
}

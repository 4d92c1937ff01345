// Views of a sweep's cells: winner, cost, time, bottleneck.

import type { CellBestAnswer, SweepAnswer, SweepCellAnswer } from "@/api/generated";
import { type CellColour, ofFamily, sequential } from "@/charts/colour";
import type { HeatCell, HeatScale } from "@/charts/figure";
import { RESOURCES, resourceKind, resourceName } from "@/lib/resources";
import { briefNumber, count, counted, duration, durationRange, oneUnit, usd } from "@/lib/wording";
import { familyOf, typeName } from "./cell";
import { bestWord, moneyOfSweep } from "./money";
import { isNearTie, NEAR_MARK, NEAR_WORDS, nearTies, runnerUpWords } from "./nearTie";
import type { Shown } from "./search";

/** Mix a color light enough for text in both themes. */
function tint(colour: string): string {
  return `color-mix(in srgb, ${colour} 32%, var(--surface))`;
}

export interface Winner {
  name: string;
  /** Letter of the family, with the number of the size in it: `A`, or `B1` and `B2`. */
  letter: string;
  colour: CellColour;
  cells: (SweepCellAnswer & { best: CellBestAnswer })[];
}

/** Find all winners, those with the most cells first. Types of a family have one hue, and larger sizes are stronger. */
export function winnersOf(cells: readonly SweepCellAnswer[]): Winner[] {
  const found = new Map<string, Winner["cells"]>();
  for (const cell of cells) {
    if (cell.best === null) continue;
    const won = { ...cell, best: cell.best };
    const name = typeName(cell.best);
    found.set(name, [...(found.get(name) ?? []), won]);
  }
  const looks = looksOf([...found].map(([name, won]) => ({ name, instance: won[0]?.best.instance ?? name })));
  return [...found]
    .sort(([a, first], [b, second]) => second.length - first.length || a.localeCompare(b))
    .map(([name, won]) => ({ name, cells: won, ...(looks.get(name) ?? { letter: "", colour: ofFamily(0, 0) }) }));
}

/** Return letter and color by name: sorted by name and size, so that they do not depend on the order of the cells. */
function looksOf(types: readonly { name: string; instance: string }[]) {
  const families = new Map<string, { name: string; rank: number }[]>();
  for (const { name, instance } of types) {
    const { family, rank } = familyOf(instance);
    families.set(family, [...(families.get(family) ?? []), { name, rank }]);
  }
  const looks = new Map<string, Pick<Winner, "letter" | "colour">>();
  for (const [index, family] of [...families.keys()].sort().entries()) {
    const sizes = (families.get(family) ?? []).toSorted((a, b) => a.rank - b.rank || a.name.localeCompare(b.name));
    for (const [at, { name }] of sizes.entries()) {
      const alone = sizes.length === 1;
      looks.set(name, {
        letter: `${letterOf(index)}${alone ? "" : at + 1}`,
        colour: ofFamily(index, alone ? 0.5 : at / (sizes.length - 1)),
      });
    }
  }
  return looks;
}

function letterOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${letter}${Math.floor(index / 26)}`;
}

/** Number of values written at a scale. */
const SCALE_TICKS = 4;

/** Return the scale of a view in a sequential color; undefined for the others, and without values. */
export function scaleOf(sweep: Pick<SweepAnswer, "base" | "cells">, shown: Shown): HeatScale | undefined {
  if (shown !== "cost" && shown !== "time") return undefined;
  const won = sweep.cells.flatMap(({ best }) => (best === null ? [] : [best]));
  if (won.length === 0) return undefined;
  const money = moneyOfSweep(sweep);
  const values = won.map(shown === "cost" ? money.at : ({ time_s }) => time_s.p50);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const write = shown === "cost" ? usd : oneUnit;
  const at = (step: number) => low * (high / low) ** (step / (SCALE_TICKS - 1));
  const ticks = high > low ? Array.from({ length: SCALE_TICKS }, (_, step) => write(at(step))) : [write(low)];
  const costs = money.of === "month" ? "Monthly cost" : "Cost of a run";
  const named = shown === "cost" ? costs : "Time of a run";
  return {
    title: high > low ? `${named}, logarithmic` : named,
    fill: (share) => sequential(high > low ? share : 0.5).fill,
    ticks: [...new Set(ticks)],
  };
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
  const look = ({ best, sentence }: SweepCellAnswer): HeatCell => {
    if (best === null) return { text: "none fits", brief: "—", rest: sentence };
    const cost_usd = money.at(best);
    const { p50: time_s } = best.time_s;
    const limit = resourceName(best.bottleneck);
    const who = `${count(best.nodes)} × ${typeName(best)}`;
    const [cost_words, time_words] = money.both(best);
    const near = isNearTie(best) ? `; near-tie: ${runnerUpWords(best, sweep)}` : "";
    const limited = `limited by ${limit}${near}`;
    if (shown === "cost") {
      return {
        text: usd(cost_usd),
        brief: `$${briefNumber(cost_usd)}`,
        ...sequential(cost(cost_usd)),
        rest: `${who}, ${time_words}, ${limited}`,
      };
    }
    if (shown === "time") {
      return {
        text: oneUnit(time_s),
        brief: oneUnit(time_s)
          .replace(/ ?min$/, "m")
          .replace(" ", ""),
        ...sequential(time(time_s)),
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
    const winner = winners.get(typeName(best));
    return {
      text: best.storage.kind === "ebs" ? `${best.instance} ${best.storage.type}` : best.instance,
      second: `${count(best.nodes)} ${best.nodes === 1 ? "node" : "nodes"}`,
      brief: winner?.letter ?? "",
      ...winner?.colour,
      rest: `${cost_words}, ${time_words}, ${limited}`,
    };
  };
  return (cell) => ({ ...look(cell), mark: cell.best !== null && isNearTie(cell.best) ? NEAR_MARK : undefined });
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
export function captionOf(
  sweep: Pick<SweepAnswer, "base" | "cells" | "job"> & Partial<Pick<SweepAnswer, "price_terms">>,
  shown: Shown,
): string {
  const partial = sweep.cells.length > 0 && sweep.cells.length < sweep.job.total;
  const discounts = sweep.price_terms == null ? "" : ` Costs include ${sweep.price_terms.words}.`;
  return `${partial ? "So far: " : ""}${whatToSee(sweep, shown)}${discounts}`;
}

function whatToSee(sweep: Pick<SweepAnswer, "base" | "cells">, shown: Shown): string {
  const won = sweep.cells.flatMap(({ best }) => (best === null ? [] : [best]));
  const money = moneyOfSweep(sweep);
  if (won.length === 0)
    return sweep.cells.length === 0 ? "No cell is computed yet." : "Nothing fits in any cell so far.";
  const none = sweep.cells.length - won.length;
  const near = nearTies(sweep.cells);
  const rest =
    (none === 0 ? "" : ` Nothing fits in ${count(none)} of ${count(sweep.cells.length)} cells.`) +
    (near === 0 ? "" : ` ${NEAR_MARK} marks ${counted(near, "near-tie")}: another type is within ${NEAR_WORDS}.`);
  if (shown === "cost")
    return `From ${spanOf(won.map(money.at), usd).replace("–", " to ")}${money.each}; equal steps of colour are equal ratios.${rest}`;
  if (shown === "time")
    return `From ${spanOf(
      won.map((best) => best.time_s.p50),
      duration,
    ).replace("–", " to ")}; equal steps of colour are equal ratios.${rest}`;
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

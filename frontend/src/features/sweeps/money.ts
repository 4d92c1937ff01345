// Cost of a sweep's cells: of a run, or of a month of an always-on cluster.

import type { CellBestAnswer, SweepAnswer } from "@/api/generated";
import { duration, usd, usdRange } from "@/lib/wording";

export interface CellMoney {
  of: "run" | "month";
  at: (best: CellBestAnswer) => number;
  /** Suffix of an amount: ` a month`. */
  each: string;
  /** Formats cost and time of a cell, shown side by side. */
  both: (best: CellBestAnswer) => readonly [cost: string, time: string];
  /** Formats the cost with its range, if any. */
  words: (best: CellBestAnswer) => string;
}

const RUN: CellMoney = {
  of: "run",
  at: ({ cost_usd }) => cost_usd.p50,
  each: " a run",
  both: ({ cost_usd, time_s }) => [usd(cost_usd.p50), duration(time_s.p50)],
  words: ({ cost_usd }) => `${usd(cost_usd.p50)} (${usdRange(cost_usd)})`,
};

const MONTH: CellMoney = {
  of: "month",
  at: ({ cost_usd, cost_always_on_usd: month }) => month ?? cost_usd.p50,
  each: " a month",
  both: (best) => [`${usd(MONTH.at(best))} a month`, `${duration(best.time_s.p50)} a run`],
  words: (best) => usd(MONTH.at(best)),
};

/** Return the cost for the objective of the sweep; older sweeps only have the cost of a run. */
export function moneyOfSweep({ base, cells }: Pick<SweepAnswer, "base" | "cells">): CellMoney {
  const stays = cells.every(({ best }) => best === null || typeof best.cost_always_on_usd === "number");
  return base["objective"] === "month" && stays ? MONTH : RUN;
}

const BEST: Record<string, string> = { time: "fastest", month: "cheapest to keep" };

/** Return the superlative of a winner: `cheapest`, `fastest`, `cheapest to keep`. */
export function bestWord({ base }: Pick<SweepAnswer, "base">): string {
  return BEST[String(base["objective"])] ?? "cheapest";
}

// Fields of a new sweep as text: shown by the form, stored in the URL, validated by the API.

import type { FieldProblem } from "@/api/generated";
import type { SweepDocument } from "@/api/planning/sweeps";
import type { WorkloadDocument } from "@/api/queries";
import { axisValues } from "./axisText";
import { isQuantity, type Quantity } from "./quantities";

/** The axes in the URL; missing ones have their default. */
export interface AxesSearch {
  columns?: string;
  "column-values"?: string;
  rows?: string;
  "row-values"?: string;
  called?: string;
}

export type AxisName = "columns" | "rows";

/** One axis of the form; without a text, the suggested values apply. */
export interface AxisChoice {
  quantity: Quantity;
  text?: string | undefined;
}

export interface Axes {
  columns: AxisChoice;
  rows: AxisChoice;
  called: string;
}

const DEFAULT: Record<AxisName, Quantity> = { columns: "data", rows: "deadline" };
const VALUES: Record<AxisName, "column-values" | "row-values"> = { columns: "column-values", rows: "row-values" };
const LONGEST_TEXT = 2_000;
const LONGEST_NAME = 200;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function axesSearchFrom(raw: Record<string, unknown>): AxesSearch {
  const search: AxesSearch = {};
  for (const name of ["columns", "rows"] as const) {
    const [quantity, text] = [raw[name], raw[VALUES[name]]];
    if (isQuantity(quantity) && quantity !== DEFAULT[name]) search[name] = quantity;
    if (typeof text === "string") search[VALUES[name]] = text.slice(0, LONGEST_TEXT);
  }
  if (typeof raw["called"] === "string" && raw["called"] !== "") search.called = raw["called"].slice(0, LONGEST_NAME);
  return search;
}

/** Return the axes with default quantities; equal quantities are allowed, and reported at the field. */
export function axesFrom(search: AxesSearch): Axes {
  const axis = (name: AxisName): AxisChoice => {
    const quantity = search[name];
    return { quantity: isQuantity(quantity) ? quantity : DEFAULT[name], text: search[VALUES[name]] };
  };
  return { columns: axis("columns"), rows: axis("rows"), called: search.called ?? "" };
}

/** Convert the axes to URL search parameters. */
export function searchOfAxes({ columns, rows, called }: Axes): AxesSearch {
  return axesSearchFrom({
    columns: columns.quantity,
    "column-values": columns.text,
    rows: rows.quantity,
    "row-values": rows.text,
    called,
  });
}

/** The sweep to request, or the errors of each axis. */
export interface Asked {
  document: SweepDocument | null;
  cells: number | null;
  values: Record<AxisName, readonly string[]>;
  remarks: Partial<Record<AxisName, string>>;
}

/** Build the sweep file of the form. */
export function sweepDocument(base: WorkloadDocument, axes: Axes, suggest: (quantity: Quantity) => string): Asked {
  const remarks: Asked["remarks"] = {};
  const read = (name: AxisName) => {
    const { quantity, text } = axes[name];
    const found = axisValues(quantity, text ?? suggest(quantity));
    if (found.values === undefined) remarks[name] = found.problem;
    return found.values ?? [];
  };
  const values = { columns: read("columns"), rows: read("rows") };
  if (axes.columns.quantity === axes.rows.quantity) remarks.rows = "Both axes ask the same: choose another for one.";
  const possible = remarks.columns === undefined && remarks.rows === undefined;
  return {
    values,
    remarks,
    cells: possible ? values.columns.length * values.rows.length : null,
    document: possible
      ? {
          ...(axes.called.trim() === "" ? {} : { name: axes.called.trim() }),
          base,
          columns: { quantity: axes.columns.quantity, values: [...values.columns] },
          rows: { quantity: axes.rows.quantity, values: [...values.rows] },
        }
      : null,
  };
}

/** Messages of the API by axis, and the others. */
export interface SweepRemarks {
  columns?: string;
  rows?: string;
  name?: string;
  elsewhere: FieldProblem[];
}

/** Assign the problems reported by the API to the fields. */
export function sweepRemarks(problems: readonly FieldProblem[]): SweepRemarks {
  const remarks: SweepRemarks = { elsewhere: [] };
  for (const problem of problems) {
    const field = /^(columns|rows|name)(?:\.|$)/.exec(problem.path)?.[1] as "columns" | "rows" | "name" | undefined;
    if (field === undefined) remarks.elsewhere.push(problem);
    else remarks[field] = remarks[field] === undefined ? problem.message : `${remarks[field]}; ${problem.message}`;
  }
  return remarks;
}

// Fields of a new sweep as text: shown by the form, stored in the address, validated by the service.

import type { FieldProblem } from "@/api/generated";
import type { SweepDocument } from "@/api/planning/sweeps";
import type { WorkloadDocument } from "@/api/queries";
import { axisValues } from "./axisText";
import { isQuantity, type Quantity } from "./quantities";

/** The axes in the address; what is not there is default. */
export interface AxesSearch {
  columns?: string;
  "column-values"?: string;
  rows?: string;
  "row-values"?: string;
  called?: string;
}

export type AxisName = "columns" | "rows";

/** One axis in the form; without a text, what is suggested for the quantity. */
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

/** Keep the valid parts of an address; never fails. */
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

/** Give both axes their quantity; two that are the same are kept, and said at the field. */
export function axesFrom(search: AxesSearch): Axes {
  const axis = (name: AxisName): AxisChoice => {
    const quantity = search[name];
    return { quantity: isQuantity(quantity) ? quantity : DEFAULT[name], text: search[VALUES[name]] };
  };
  return { columns: axis("columns"), rows: axis("rows"), called: search.called ?? "" };
}

/** Put the axes into an address. */
export function searchOfAxes({ columns, rows, called }: Axes): AxesSearch {
  return axesSearchFrom({
    columns: columns.quantity,
    "column-values": columns.text,
    rows: rows.quantity,
    "row-values": rows.text,
    called,
  });
}

/** What is asked, or what keeps it from being asked, for each axis. */
export interface Asked {
  document: SweepDocument | null;
  cells: number | null;
  values: Record<AxisName, readonly string[]>;
  remarks: Partial<Record<AxisName, string>>;
}

/** Write the sweep file that the form describes. */
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

/** What the service said about the axes, and what about anything else. */
export interface SweepRemarks {
  columns?: string;
  rows?: string;
  name?: string;
  elsewhere: FieldProblem[];
}

/** Bring what the service did not accept to the fields that ask for it. */
export function sweepRemarks(problems: readonly FieldProblem[]): SweepRemarks {
  const remarks: SweepRemarks = { elsewhere: [] };
  for (const problem of problems) {
    const field = /^(columns|rows|name)(?:\.|$)/.exec(problem.path)?.[1] as "columns" | "rows" | "name" | undefined;
    if (field === undefined) remarks.elsewhere.push(problem);
    else remarks[field] = remarks[field] === undefined ? problem.message : `${remarks[field]}; ${problem.message}`;
  }
  return remarks;
}

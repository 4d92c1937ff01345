// One cell of a sweep: its workload, its winner, and its URL.

import type { CellBestAnswer, SweepAnswer, SweepCellAnswer } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { QUANTITIES, type Quantity } from "./quantities";

export interface Place {
  column: number;
  row: number;
}

/** Parse the position of a cell from the URL; null if invalid or outside the grid. */
export function placeFrom(text: string | undefined, columns: number, rows: number): Place | null {
  const found = /^(\d{1,2})-(\d{1,2})$/.exec(text ?? "");
  if (found === null) return null;
  const place = { column: Number(found[1]) - 1, row: Number(found[2]) - 1 };
  return place.column >= 0 && place.column < columns && place.row >= 0 && place.row < rows ? place : null;
}

/** Format the position of a cell for the URL, counted from 1. */
export function placeText({ column, row }: Place): string {
  return `${column + 1}-${row + 1}`;
}

export function cellAt(cells: readonly SweepCellAnswer[], { column, row }: Place): SweepCellAnswer | undefined {
  return cells.find((cell) => cell.column === column && cell.row === row);
}

/** Return the name of a winner: instance and volume type, without the number of nodes. */
export function typeName({ instance, storage }: Pick<CellBestAnswer, "instance" | "storage">): string {
  return storage.kind === "ebs" ? `${instance} with ${storage.type}` : instance;
}

const SIZES: readonly (readonly [name: string, rank: number])[] = [
  ["nano", 0.03],
  ["micro", 0.06],
  ["small", 0.125],
  ["medium", 0.25],
  ["large", 0.5],
  ["xlarge", 1],
  ["metal", 1000],
];

/** Split an instance type into its family and the rank of its size: `i4i.2xlarge`, `n1-standard-8`. */
export function familyOf(instance: string): { family: string; rank: number } {
  const found = /^(.+?)(?:\.|-(?=\d+$))([^.]+)$/.exec(instance);
  const [, family = instance, size = ""] = found ?? [];
  const times = Number(/\d+/.exec(size)?.[0] ?? Number.NaN);
  const named = SIZES.find(([name]) => name === size)?.[1];
  return { family, rank: named ?? (Number.isNaN(times) ? 0 : times) };
}

function section(document: WorkloadDocument, name: string): WorkloadDocument {
  return (document[name] ?? {}) as WorkloadDocument;
}

function put(document: WorkloadDocument, name: string, field: string, value: unknown): WorkloadDocument {
  return { ...document, [name]: { ...section(document, name), [field]: value } };
}

/** Set one quantity of a workload. */
function set(document: WorkloadDocument, quantity: Quantity, value: string): WorkloadDocument {
  const before = section(section(document, "workload"), "durability");
  switch (quantity) {
    case "durability":
      return put(document, "workload", "durability", { ...(before["model"] === value ? before : {}), model: value });
    case "replicas":
      // The number of copies applies to application durability only.
      if (before["model"] !== "application") return document;
      return put(document, "workload", "durability", { model: "application", replicas: Number(value) });
    default: {
      const varied = QUANTITIES[quantity];
      return put(document, varied.section, varied.field, value);
    }
  }
}

/** Build the workload of a cell, like the API: the base with the two values, durability before its copies. */
export function cellDocument(
  sweep: Pick<SweepAnswer, "base" | "columns" | "rows" | "catalog_version">,
  { column, row }: Place,
): WorkloadDocument {
  const values: [Quantity, string | undefined][] = [
    [sweep.columns.quantity, sweep.columns.values[column]],
    [sweep.rows.quantity, sweep.rows.values[row]],
  ];
  values.sort(([a], [b]) => Number(a === "replicas") - Number(b === "replicas"));
  let document: WorkloadDocument = { ...sweep.base };
  delete document["cluster"];
  const quantities = values.map(([quantity]) => quantity);
  if (quantities.includes("replicas") && !quantities.includes("durability")) {
    document = put(document, "workload", "durability", { model: "application" });
  }
  for (const [quantity, value] of values) {
    if (value !== undefined) document = set(document, quantity, value);
  }
  return document;
}

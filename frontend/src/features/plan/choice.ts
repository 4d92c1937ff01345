// What the user chose, as text: the form shows it, the address keeps it, the service judges it.

import type { FieldProblem } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { type View, viewFrom } from "./view";

/** Every question of the form, with the answer that holds where the user gives none. */
export const DEFAULTS = {
  data: "100 TB",
  job: "sort",
  map: "1",
  reduce: "1",
  durability: "none",
  replicas: "2",
  region: "us-east-1",
  deadline: "",
  budget: "",
  nodes: "",
  group: "yes",
  runs: "1",
  catalogue: "latest",
  network: "measured",
  shuffle: "exact",
  capacity: "divided",
  cpu: "modelled",
  spread: "modelled",
  launch: "billed",
  billing: "by-second",
} as const;

export type Field = keyof typeof DEFAULTS;
export type Choice = Record<Field, string>;
export type Search = Partial<Record<Field, string>> & View;

export const FIELDS = Object.keys(DEFAULTS) as Field[];

const LONGEST_TEXT = 200;

/** Keep what the page understands of an address; never fails, whatever the address holds. */
export function searchFrom(raw: Record<string, unknown>): Search {
  const search: Search = viewFrom(raw);
  for (const field of FIELDS) {
    const value = raw[field];
    if (typeof value === "string" && value !== DEFAULTS[field]) search[field] = value.slice(0, LONGEST_TEXT);
  }
  return search;
}

/** Give every question its answer. */
export function choiceFrom(search: Search): Choice {
  const choice: Choice = { ...DEFAULTS };
  for (const field of FIELDS) choice[field] = search[field] ?? DEFAULTS[field];
  return choice;
}

/** Keep only what is not default, in a fixed order, so that equal choices have equal addresses. */
export function searchOf(choice: Choice): Search {
  return searchFrom(choice);
}

/** Where each question stands in a workload file. */
const PATHS: Record<Field, string> = {
  data: "workload.data",
  job: "workload.job",
  map: "workload.map_selectivity",
  reduce: "workload.reduce_selectivity",
  durability: "workload.durability.model",
  replicas: "workload.durability.replicas",
  region: "place.region",
  deadline: "limits.deadline",
  budget: "limits.budget",
  nodes: "limits.max_nodes",
  group: "place.placement_group",
  runs: "workload.runs_per_month",
  catalogue: "place.catalogue",
  network: "assume.network",
  shuffle: "assume.shuffle",
  capacity: "assume.capacity",
  cpu: "assume.cpu",
  spread: "assume.spread",
  launch: "assume.launch",
  billing: "assume.billing",
};

const NUMBERS: ReadonlySet<Field> = new Set(["map", "reduce", "replicas", "nodes", "runs"]);
const OPTIONAL: ReadonlySet<Field> = new Set(["deadline", "budget", "nodes"]);

function written(field: Field, text: string): unknown {
  const trimmed = text.trim();
  if (NUMBERS.has(field) && /^-?\d{1,15}(\.\d{1,15})?$/.test(trimmed)) return Number(trimmed);
  if (field === "group") return trimmed === "yes" ? true : trimmed === "no" ? false : text;
  return text;
}

/** Whether a question is asked at all, given the other answers. */
export function isAsked(field: Field, choice: Choice): boolean {
  if (field === "replicas") return choice.durability === "application";
  if (field === "map" || field === "reduce") return choice.job === "mapreduce";
  return true;
}

function put(document: WorkloadDocument, path: string, value: unknown): void {
  const [head = "", ...rest] = path.split(".");
  if (rest.length === 0) {
    document[head] = value;
    return;
  }
  const inner = (document[head] ?? {}) as WorkloadDocument;
  document[head] = inner;
  put(inner, rest.join("."), value);
}

function valueAt(document: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, part) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }, document);
}

/** Write the workload file that asks what the user chose: what is default is left out, data always stands there. */
export function documentFrom(choice: Choice): WorkloadDocument {
  const document: WorkloadDocument = {};
  for (const field of FIELDS) {
    const text = choice[field];
    const needed = field === "data" || (field === "replicas" && choice.durability === "application");
    if (!isAsked(field, choice) || (text === DEFAULTS[field] && !needed)) continue;
    if (OPTIONAL.has(field) && text.trim() === "") continue;
    put(document, PATHS[field], written(field, text));
  }
  return document;
}

/** What an address can hold of a stored workload file, and the paths of what it cannot. */
export function choiceFromDocument(document: unknown): { choice: Choice; lost: string[] } {
  const choice: Choice = { ...DEFAULTS };
  const known = new Set<string>();
  for (const field of FIELDS) {
    known.add(PATHS[field]);
    const value = valueAt(document, PATHS[field]);
    if (value === undefined || value === null) continue;
    choice[field] = typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
  }
  known.add("workload.name");
  return { choice, lost: leaves(document).filter((path) => !known.has(path)) };
}

function leaves(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`));
}

/** What the service said about each field, and what it said about anything that has no field here. */
export interface Remarks {
  fields: Partial<Record<Field, string>>;
  elsewhere: FieldProblem[];
}

/** Bring what the service did not accept to the fields that ask for it. */
export function remarksFrom(problems: readonly FieldProblem[], choice: Choice): Remarks {
  const remarks: Remarks = { fields: {}, elsewhere: [] };
  for (const problem of problems) {
    const path = problem.path === "workload.durability" ? PATHS.durability : problem.path;
    const field = FIELDS.find((name) => PATHS[name] === path);
    if (field !== undefined && isAsked(field, choice) && remarks.fields[field] === undefined) {
      remarks.fields[field] = problem.message;
    } else {
      remarks.elsewhere.push(problem);
    }
  }
  return remarks;
}

// The form's fields as text: shown by the form, stored in the URL, validated by the API.

import type { FieldProblem } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { type View, viewFrom } from "@/features/plan/address/view";
import { withTodaysNames } from "@/lib/oldNames";
import {
  DEFAULTS,
  ELSEWHERE,
  FIELDS,
  type Field,
  isOfJob,
  longest,
  PATHS,
  STRUCTURED,
  textOf,
  written,
} from "./fields";
import { durabilitiesOf, isHdfs } from "./jobs";

/** Confidence of meeting the deadline that the median just meets. */
export const MEDIAN = "50 %";

export type Choice = Record<Field, string>;
export type Search = Partial<Record<Field, string>> & View;

/** Parse URL search parameters, dropping invalid ones; never throws. */
export function searchFrom(raw: Record<string, unknown>): Search {
  const search: Search = viewFrom(raw);
  const named = withTodaysNames(raw);
  for (const field of FIELDS) {
    const value = named[field];
    if (typeof value === "string" && value !== DEFAULTS[field]) search[field] = value.slice(0, longest(field));
  }
  return search;
}

/** Fill in the defaults of all missing answers. */
export function choiceFrom(search: Search): Choice {
  const choice: Choice = { ...DEFAULTS };
  for (const field of FIELDS) choice[field] = search[field] ?? DEFAULTS[field];
  return choice;
}

/** Keep only non-default answers, in a fixed order, so that equal choices have equal URLs. */
export function searchOf(choice: Choice): Search {
  return searchFrom(choice);
}

/** Check if a question applies, given the other answers. */
export function isAsked(field: Field, choice: Choice): boolean {
  if (field === "replicas") return choice.durability === "application";
  // Only HDFS and EMR have a node without data.
  if (field === "primary") return isHdfs(choice.job) || choice.service === "emr";
  // The chance to meet the deadline requires a deadline.
  if (field === "chance") return !["", "none"].includes(choice.deadline.trim());
  // A job with its data in S3 reads and writes it there, unless the data is outside AWS.
  if ((field === "input" || field === "output") && choice.durability === "object-store") {
    return isOfJob(field, choice.job) && choice[field] === ELSEWHERE;
  }
  if (field === "inputrate") return isOfJob("input", choice.job) && choice.input === ELSEWHERE;
  if (field === "outputrate") return isOfJob("output", choice.job) && choice.output === ELSEWHERE;
  // HDFS has its own replication; a number of application copies already answers this question.
  if (field === "replication") return isHdfs(choice.job) && choice.durability !== "application";
  return isOfJob(field, choice.job);
}

/** Switch to another job: answers that it does not need are reset to their defaults. */
export function withJob(choice: Choice, job: string): Partial<Choice> {
  const changes: Partial<Choice> = { job };
  for (const field of FIELDS) {
    if (!isOfJob(field, job)) changes[field] = DEFAULTS[field];
  }
  if (durabilitiesOf(job).includes(choice.durability)) return changes;
  // HDFS manages its own copies: keep the same number.
  if (isHdfs(job) && choice.durability === "application") changes.replication = choice.replicas;
  return { ...changes, durability: DEFAULTS.durability };
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

/** Return the value at a path of a document; undefined if it does not exist. */
export function valueAt(document: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, part) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }, document);
}

/** Build the workload file of a choice: defaults are left out, except for the data size. */
export function documentFrom(choice: Choice): WorkloadDocument {
  const document: WorkloadDocument = {};
  for (const field of FIELDS) {
    const value = writtenOf(field, choice);
    if (value !== undefined) put(document, PATHS[field], value);
  }
  return document;
}

/** Return the value of a field in a workload file; undefined if it is left out. */
function writtenOf(field: Field, choice: Choice): unknown {
  const text = choice[field];
  const needed =
    field === "data" ||
    field === "inputrate" ||
    field === "outputrate" ||
    (field === "replicas" && choice.durability === "application");
  if (!isAsked(field, choice) || (text === DEFAULTS[field] && !needed)) return undefined;
  // A rate implies that the data is elsewhere.
  if ((field === "input" || field === "output") && text === ELSEWHERE) return undefined;
  return written(field, text);
}

/** Check if two choices have equivalent answers to a question, regardless of formatting. */
export function answerAlike(field: Field, one: Choice, other: Choice): boolean {
  return JSON.stringify(writtenOf(field, one)) === JSON.stringify(writtenOf(field, other));
}

/** Apply changed answers to a workload file; parts without a field stay as they are. */
export function documentChanged(document: WorkloadDocument, before: Choice, after: Choice): WorkloadDocument {
  const changed = structuredClone(document);
  for (const field of FIELDS) {
    if (answerAlike(field, before, after)) continue;
    const value = writtenOf(field, after);
    if (value === undefined) remove(changed, PATHS[field]);
    else put(changed, PATHS[field], value);
  }
  return changed;
}

/** Remove a value, and any parent object left empty. */
function remove(document: WorkloadDocument, path: string): void {
  const [head = "", ...rest] = path.split(".");
  const inner = document[head];
  if (rest.length > 0) {
    // The parent is no longer an object.
    if (typeof inner !== "object" || inner === null) return;
    remove(inner as WorkloadDocument, rest.join("."));
    if (Object.keys(inner).length > 0) return;
  }
  delete document[head];
}

/** Convert a stored workload file to answers, and list the paths that cannot be represented. */
export function choiceFromDocument(document: unknown): { choice: Choice; lost: string[] } {
  // Files stored before defaults were assumed do not contain this field.
  const choice: Choice = { ...DEFAULTS, usual: "ignored" };
  const known = new Set<string>();
  for (const field of FIELDS) {
    known.add(PATHS[field]);
    const value = valueAt(document, PATHS[field]);
    if (value === null) choice[field] = DEFAULTS[field];
    if (value === undefined || value === null) continue;
    const text = textOf(field, value);
    if (text.length > longest(field)) known.delete(PATHS[field]);
    else choice[field] = text;
  }
  // Files stored before there was a default framework mean none.
  if (choice.usual !== "ignored" && valueAt(document, PATHS.framework) === undefined) choice.framework = "ideal";
  // Files stored before there was a default confidence mean the median.
  const late = choice.deadline !== DEFAULTS.deadline && valueAt(document, PATHS.chance) === undefined;
  if (choice.usual !== "ignored" && late) choice.chance = MEDIAN;
  known.add("workload.name");
  const isKnown = (path: string) =>
    known.has(path) || STRUCTURED.some((field) => known.has(PATHS[field]) && isWithin(PATHS[field], path));
  return { choice, lost: leaves(document).filter((path) => !isKnown(path)) };
}

function isWithin(outer: string, path: string): boolean {
  return path.startsWith(`${outer}.`);
}

function leaves(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`));
}

/** Messages of the API by field, and those without a field. */
export interface Remarks {
  fields: Partial<Record<Field, string>>;
  elsewhere: FieldProblem[];
}

/** Assign the problems reported by the API to the fields. */
export function remarksFrom(problems: readonly FieldProblem[], choice: Choice): Remarks {
  const remarks: Remarks = { fields: {}, elsewhere: [] };
  for (const problem of problems) {
    const path = problem.path === "workload.durability" ? PATHS.durability : problem.path;
    const field = FIELDS.find((name) => PATHS[name] === path) ?? STRUCTURED.find((name) => isWithin(PATHS[name], path));
    const said = field === undefined ? undefined : remarks.fields[field];
    if (field === undefined || !isAsked(field, choice)) remarks.elsewhere.push(problem);
    else if (said === undefined) remarks.fields[field] = problem.message;
    // A list may have several problems.
    else if (STRUCTURED.includes(field)) remarks.fields[field] = `${said}; ${problem.message}`;
    else remarks.elsewhere.push(problem);
  }
  return remarks;
}

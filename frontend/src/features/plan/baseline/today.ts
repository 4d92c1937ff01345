// Current cluster: fields of the form, and their text in the URL.

import type { FieldProblem } from "@/api/generated";
import { clusterFromKey, clusterKey, NODES, NODES_WANTED } from "@/features/plan/address/cluster";
import { provisionsOf } from "@/lib/volumeTypes";

export const TODAY_DEFAULTS = {
  instance: "",
  nodes: "",
  storage: "own",
  outer: "4",
  inner: "4",
  type: "gp2",
  count: "1",
  size: "500 GiB",
  iops: "",
  throughput: "",
};

export type TodayField = keyof typeof TODAY_DEFAULTS;
export type Today = Record<TodayField, string>;
export type TodayErrors = Partial<Record<TodayField, string>>;

const WHOLE: readonly (readonly [TodayField, RegExp, string])[] = [
  ["nodes", NODES, NODES_WANTED],
  ["instance", /^[\w-]+\.[\w-]+$/, "Written like i2.8xlarge"],
];
const ASKED_ON: Record<string, readonly (readonly [TodayField, RegExp, string])[]> = {
  own: [],
  object: [],
  divided: [
    ["outer", /^\d{1,4}$/, "A whole number, like 4"],
    ["inner", /^\d{1,4}$/, "A whole number; 0 shares the disks"],
  ],
  ebs: [
    ["type", /^[a-z0-9]{2,10}$/i, "Written like gp2"],
    ["count", /^\d{1,4}$/, "A whole number, like 2"],
    ["size", /^\d{1,7}(\.\d{1,3})?\s?[kMGTP]i?B$/i, "A size with its unit, like 500 GiB"],
  ],
};

/** Options of some volume types in addition to size, if not the default of the type. */
const PROVISIONED: readonly (readonly [TodayField, RegExp, string])[] = [
  ["iops", /^\d{0,8}$/, "A whole number, like 6000"],
  ["throughput", /^\d{0,7}$/, "A whole number, like 500"],
];
function askedOn({ storage, type }: Today): readonly (readonly [TodayField, RegExp, string])[] {
  const asked = ASKED_ON[storage] ?? [];
  if (storage !== "ebs") return asked;
  const more: readonly TodayField[] = provisionsOf(type.trim().toLowerCase());
  return [...asked, ...PROVISIONED.filter(([field]) => more.includes(field))];
}

/** Check if a field applies to the kind of storage. */
export function isAskedToday(field: TodayField, today: Today): boolean {
  if (field === "storage" || field === "instance" || field === "nodes") return true;
  return askedOn(today).some(([name]) => name === field);
}

/** Check if the data is on the instances' own disks. */
export function hasOwnDisks({ storage }: Today): boolean {
  return storage === "own" || storage === "divided";
}

/** Parse the fields from the URL; an invalid configuration leaves them empty. */
export function todayFrom(key: string | undefined): Today {
  const cluster = clusterFromKey(key ?? "");
  if (cluster === null) return { ...TODAY_DEFAULTS };
  const { instance, nodes, storage } = cluster;
  const today: Today = { ...TODAY_DEFAULTS, instance, nodes: String(nodes) };
  if (storage.kind === "ebs") {
    const { type, count, size, iops, throughput_mib_per_s: throughput } = storage;
    const provisioned = { iops: String(iops ?? ""), throughput: String(throughput ?? "") };
    return { ...today, storage: "ebs", type, count: String(count), size, ...provisioned };
  }
  if (storage.kind === "object-store") return { ...today, storage: "object" };
  if (typeof storage.input_output_disks !== "number") return today;
  return {
    ...today,
    storage: "divided",
    outer: String(storage.input_output_disks),
    inner: String(storage.intermediate_disks ?? 0),
  };
}

/** Format the fields for the URL, with errors by field; the key is undefined if they are invalid. */
export function todayKey(today: Today): { key: string | undefined; errors: TodayErrors } {
  const errors: TodayErrors = {};
  let complete = true;
  for (const [field, pattern, wanted] of [...WHOLE, ...askedOn(today)]) {
    const text = today[field].trim();
    if (pattern.test(text)) continue;
    complete = false;
    // Empty fields are not errors yet.
    if (text !== "") errors[field] = wanted;
  }
  if (!complete) return { key: undefined, errors };
  const key = clusterKey({ instance: today.instance.trim(), nodes: Number(today.nodes), storage: storageOf(today) });
  if (clusterFromKey(key) !== null) return { key, errors };
  return { key: undefined, errors: { instance: "Written like i2.8xlarge" } };
}

function storageOf(today: Today) {
  const { storage, outer, inner, type, count, size } = today;
  if (storage === "object") return { kind: "object-store" as const };
  if (storage === "ebs") {
    const [, number = "", unit = ""] = /^([\d.]+)\s?(\w+)$/.exec(size.trim()) ?? [];
    const provisioned = {
      ...given("iops", "iops", today),
      ...given("throughput", "throughput_mib_per_s", today),
    };
    return { kind: "ebs" as const, type: type.trim(), count: Number(count), size: `${number} ${unit}`, ...provisioned };
  }
  if (storage === "divided") {
    const disks = { input_output_disks: Number(outer), intermediate_disks: Number(inner) };
    return { kind: "instance-store" as const, ...disks };
  }
  return { kind: "instance-store" as const };
}

/** Parse a number that defaults to that of the volume type. */
function given(field: TodayField, name: string, today: Today): Record<string, number> {
  const text = today[field].trim();
  return text === "" || !isAskedToday(field, today) ? {} : { [name]: Number(text) };
}

const PATHS: Record<string, TodayField> = {
  "cluster.instance": "instance",
  "cluster.nodes": "nodes",
  "cluster.storage": "storage",
  "cluster.storage.kind": "storage",
  "cluster.storage.input_output_disks": "outer",
  "cluster.storage.intermediate_disks": "inner",
  "cluster.storage.type": "type",
  "cluster.storage.count": "count",
  "cluster.storage.size": "size",
  "cluster.storage.iops": "iops",
  "cluster.storage.throughput_mib_per_s": "throughput",
};

/** Assign the problems reported by the API to the fields; the others are shown below them. */
export function todayRemarks(
  problems: readonly FieldProblem[],
  today: Today,
): { fields: TodayErrors; elsewhere: string[] } {
  const fields: TodayErrors = {};
  const elsewhere: string[] = [];
  for (const { path, message } of problems) {
    const field = PATHS[path];
    if (field !== undefined && isAskedToday(field, today) && fields[field] === undefined) fields[field] = message;
    else elsewhere.push(`${path}: ${message}`);
  }
  return { fields, elsewhere };
}

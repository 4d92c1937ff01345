// A measured run of the current cluster, as text in the URL: `60-i3.4xlarge-own~1 h 50 min~40 TB`, followed by the
// durability if it differs from the form's: `~application-2`.

import type { WorkloadDocument } from "@/api/queries";
import { clusterFromKey, clusterKey, clusterName } from "./cluster";
import { pinFrom } from "./pinText";

export interface Ran {
  /** The cluster, as in the URL. */
  key: string;
  /** Duration and data size of the run. */
  time: string;
  data: string;
  /** Durability: `none`, `application-2`; defaults to that of the form. */
  kept?: string | undefined;
}

const KEPT = /^(none|infrastructure|object-store|application-(\d{1,3}))$/;
const USUAL_COPIES = "2";
const BETWEEN = "~";
const PART = "\\d+(?:[.,]\\d+)*\\s*(?:s|min|h|d)";
const TIME = new RegExp(`^\\s*${PART}(?:\\s*${PART})*\\s*$`, "i");
const TIME_WANTED = "A time with its unit, like 1 h 50 min";
const DATA = /^\s*\d+(?:[.,]\d+)*\s*[kMGTPE]i?B\s*$/i;
const DATA_WANTED = "A size with its unit, like 40 TB";

/** Format a run for the URL. */
export function ranText({ key, time, data, kept }: Ran): string {
  return [key, time.trim(), data.trim(), ...(kept === undefined ? [] : [kept])].join(BETWEEN);
}

/** Parse a run from the URL; null if invalid. */
export function ranFrom(text: string): Ran | null {
  const [key = "", time = "", data = "", kept, ...rest] = text.split(BETWEEN);
  if (rest.length > 0 || (kept !== undefined && !KEPT.test(kept))) return null;
  if (clusterFromKey(key) === null || time === "" || data === "") return null;
  return { key, time, data, ...(kept === undefined ? {} : { kept }) };
}

/** Copy the durability of the current cluster to a run; a run of another cluster stays unchanged. */
export function ranKeptAs(text: string, today: string | undefined): string {
  const ran = ranFrom(text);
  const pin = pinFrom(today ?? "");
  if (ran === null || pin.cluster !== ran.key) return text;
  const { durability, replicas } = Object.fromEntries(pin.answers);
  const copies = durability === "application" || (durability === undefined && replicas !== undefined);
  const kept = copies ? `application-${replicas ?? USUAL_COPIES}` : durability;
  return ranText({ ...ran, kept: kept !== undefined && KEPT.test(kept) ? kept : undefined });
}

function durabilityOf(kept: string | undefined): WorkloadDocument {
  const [, model, replicas] = KEPT.exec(kept ?? "") ?? [];
  if (model === undefined) return {};
  return { durability: replicas === undefined ? { model } : { model: "application", replicas: Number(replicas) } };
}

function keptIn(durability: unknown): string | undefined {
  if (typeof durability !== "object" || durability === null || !("model" in durability)) return undefined;
  const { model, replicas } = durability as { model: string; replicas?: number };
  return model === "application" ? `application-${replicas ?? USUAL_COPIES}` : model;
}

/** Convert a run to the section of a workload file; undefined if the text is invalid. */
export function ranSection(text: string): WorkloadDocument | undefined {
  const ran = ranFrom(text);
  const cluster = ran === null ? null : clusterFromKey(ran.key);
  if (ran === null || cluster === null) return undefined;
  const { instance, nodes, storage } = cluster;
  return { instance, nodes, storage, time: ran.time, data: ran.data, ...durabilityOf(ran.kept) };
}

/** Format the section of a workload file for the URL; "" if the URL cannot represent it. */
export function ranOfSection(section: unknown): string {
  const { instance, nodes, storage, time, data, durability } = section as Record<string, unknown>;
  if (typeof instance !== "string" || typeof nodes !== "number") return "";
  if (typeof time !== "string" || typeof data !== "string") return "";
  const stored = (storage ?? { kind: "instance-store" }) as Parameters<typeof clusterKey>[0]["storage"];
  const text = ranText({ key: clusterKey({ instance, nodes, storage: stored }), time, data, kept: keptIn(durability) });
  return ranFrom(text) === null ? "" : text;
}

/** Validate the input of a run; empty fields have no errors. */
export function ranErrors({ time, data }: Omit<Ran, "key">): Partial<Record<"time" | "data", string>> {
  return {
    ...(time.trim() === "" || TIME.test(time) ? {} : { time: TIME_WANTED }),
    ...(time.trim() === "" || DATA.test(data) ? {} : { data: DATA_WANTED }),
  };
}

/** Describe a run: `1 h 50 min on 60 × i3.4xlarge for 40 TB`. */
export function ranWords(text: string): string {
  const ran = ranFrom(text);
  const cluster = ran === null ? null : clusterFromKey(ran.key);
  if (ran === null || cluster === null) return text;
  const copies = KEPT.exec(ran.kept ?? "")?.[2];
  return `${ran.time} on ${clusterName(cluster)} for ${ran.data}${copies === undefined ? "" : `, ${copies} copies`}`;
}

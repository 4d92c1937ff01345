// A run that was measured where the job runs today, as text in the address: `60-i3.4xlarge-own~1 h 50 min~40 TB`.

import type { WorkloadDocument } from "@/api/queries";
import { clusterFromKey, clusterKey, clusterName } from "./cluster";

export interface Ran {
  /** The cluster, as the address has it. */
  key: string;
  /** What a run took, and how much data it had. */
  time: string;
  data: string;
}

const BETWEEN = "~";
const PART = "\\d+(?:[.,]\\d+)*\\s*(?:s|min|h|d)";
const TIME = new RegExp(`^\\s*${PART}(?:\\s*${PART})*\\s*$`, "i");
const TIME_WANTED = "A time with its unit, like 1 h 50 min";
const DATA = /^\s*\d+(?:[.,]\d+)*\s*[kMGTPE]i?B\s*$/i;
const DATA_WANTED = "A size with its unit, like 40 TB";

/** Write a run as the address keeps it. */
export function ranText({ key, time, data }: Ran): string {
  return [key, time.trim(), data.trim()].join(BETWEEN);
}

/** Read a run from the address; null where it is none. */
export function ranFrom(text: string): Ran | null {
  const [key = "", time = "", data = "", ...rest] = text.split(BETWEEN);
  return rest.length > 0 || clusterFromKey(key) === null || time === "" || data === "" ? null : { key, time, data };
}

/** Write a run as the section of a workload file; undefined where the text is none. */
export function ranSection(text: string): WorkloadDocument | undefined {
  const ran = ranFrom(text);
  const cluster = ran === null ? null : clusterFromKey(ran.key);
  if (ran === null || cluster === null) return undefined;
  const { instance, nodes, storage } = cluster;
  return { instance, nodes, storage, time: ran.time, data: ran.data };
}

/** Read the section of a workload file; "" where the address cannot hold it. */
export function ranOfSection(section: unknown): string {
  const { instance, nodes, storage, time, data } = section as Record<string, unknown>;
  if (typeof instance !== "string" || typeof nodes !== "number") return "";
  if (typeof time !== "string" || typeof data !== "string") return "";
  const stored = (storage ?? { kind: "instance-store" }) as Parameters<typeof clusterKey>[0]["storage"];
  const text = ranText({ key: clusterKey({ instance, nodes, storage: stored }), time, data });
  return ranFrom(text) === null ? "" : text;
}

/** What is wrong with what was typed; nothing where it is still empty. */
export function ranErrors({ time, data }: Omit<Ran, "key">): Partial<Record<"time" | "data", string>> {
  return {
    ...(time.trim() === "" || TIME.test(time) ? {} : { time: TIME_WANTED }),
    ...(time.trim() === "" || DATA.test(data) ? {} : { data: DATA_WANTED }),
  };
}

/** `1 h 50 min on 60 × i3.4xlarge for 40 TB` */
export function ranWords(text: string): string {
  const ran = ranFrom(text);
  const cluster = ran === null ? null : clusterFromKey(ran.key);
  return ran === null || cluster === null ? text : `${ran.time} on ${clusterName(cluster)} for ${ran.data}`;
}

// Values that a new report takes from the report that it replaces, as far as the stored one contains them.

import type { Report, Table } from "@/api/generated";
import type { NewReportSearch } from "@/features/reports/search";

/** Initial state of the composer for a report about the same object. */
export function searchForNewer(id: string, report: Report): NewReportSearch {
  return { ...originOf(report), ...aheadOf(report), ...todayOf(report), replaces: id };
}

/** Words of the older report for the current cluster, if they do not describe it completely. */
export function todayLost(report: Report): string | null {
  if (section(report, "today") === undefined || todayOf(report).today !== undefined) return null;
  const [name, storage] = todayWords(report);
  return [name, storage].filter((words) => words !== null).join(", ");
}

function section(report: Report, wanted: string) {
  return report.sections.find(({ key }) => key === wanted);
}

function tableOf(report: Report, sectionKey: string, wanted: string): Table | undefined {
  return section(report, sectionKey)?.blocks.find(
    (block): block is Table & { kind: "table" } => block.kind === "table" && block.key === wanted,
  );
}

function originOf(report: Report): NewReportSearch {
  const { kind, object_ids } = report.origin;
  const [first] = object_ids;
  if (kind === "validation") return { validation: "published" };
  if (kind === "comparison") return { plans: object_ids.join(",") };
  if (first === undefined) return {};
  if (kind !== "plan") return { [kind]: first };
  const ranks = (tableOf(report, "options", "options")?.rows ?? []).flatMap(
    ({ key }) => /^rank-(\d+)$/.exec(key)?.[1] ?? [],
  );
  return { plan: first, ...(ranks.length === 0 ? {} : { ranks: ranks.join(",") }) };
}

function aheadOf(report: Report): NewReportSearch {
  if (!["plan", "comparison"].includes(report.origin.kind)) return {};
  const outlook = section(report, "outlook");
  if (outlook === undefined) return { months: "0" };
  const facts = outlook.blocks.flatMap((block) => (block.kind === "facts" ? block.facts : []));
  const growth = facts.find(({ key }) => key === "growth")?.value;
  const whole = tableOf(report, "outlook", "outlook-years")?.rows.find(({ key }) => key === "all")?.cells[0];
  // `All (months 1–36)`
  const months = typeof whole === "string" ? /(\d+)\)$/.exec(whole)?.[1] : undefined;
  return {
    ...(typeof growth === "object" && growth !== null && growth.value !== 0 ? { growth: String(growth.value) } : {}),
    ...(months === undefined ? {} : { months }),
  };
}

/** Name and storage as in the table. */
function todayWords(report: Report): [string | null, string | null] {
  const rows = tableOf(report, "today", "today")?.rows ?? [];
  const said = (wanted: string) => {
    const cell = rows.find(({ key }) => key === wanted)?.cells[1];
    return typeof cell === "string" ? cell : null;
  };
  return [said("configuration"), said("storage")];
}

function todayOf(report: Report): NewReportSearch {
  const [name, storage] = todayWords(report);
  const named = /^([\d,]+) [x×] (\S+)$/.exec(name ?? "");
  const key = storage === null ? null : storageIn(storage);
  if (named === null || key === null) return {};
  const month = tableOf(report, "today", "today")?.rows.find(({ key: row }) => row === "month")?.cells[1];
  const isGiven = typeof month === "object" && month?.standing === "given";
  return {
    today: `${named[1]?.replaceAll(",", "")}-${named[2]}-${key}${copiesIn(report)}`,
    ...(isGiven ? { pays: `${month.value} USD` } : {}),
  };
}

/** Durability of the current cluster in the form of the address, if it differs from the recommended one. */
function copiesIn(report: Report): string {
  const row = tableOf(report, "today", "today")?.rows.find(({ key }) => key === "kept");
  const [, today, recommended] = row?.cells ?? [];
  if (typeof today !== "string" || today === recommended) return "";
  const copies = /^(\d+) copies/.exec(today)?.[1];
  if (copies !== undefined) return `*durability-application*replicas-${copies}`;
  return today === "one copy" ? "*durability-none" : "";
}

/** The second line is the wording of reports until November 2026. */
const OWN = [
  /^(?:1 shared disk|(\d+) shared disks|(\d+) data \+ (\d+) scratch disks)$/,
  /^(?:its one disk|all (\d+) disks|disks (\d+) \+ (\d+))$/,
];
const VOLUMES =
  /^(\d+) [x×] ([\d.]+) ([KMGTP]i?B) ([a-z0-9]+)(?: of (?:([\d,]+) IOPS)?(?: and )?(?:([\d,]+) MiB\/s)?)?$/i;

/** Parse the words of a layout into the form of the address; null if they have another form. */
function storageIn(words: string): string | null {
  if (words === "object store") return "s3";
  const own = OWN.map((pattern) => pattern.exec(words)).find((match) => match !== null);
  if (own !== undefined) return own[2] === undefined ? `${own[1] ?? 1}-0` : `${own[2]}-${own[3]}`;
  const ebs = VOLUMES.exec(words);
  if (ebs === null) return null;
  const [, count, size, unit, type, iops, throughput] = ebs;
  const provisioned = [
    ...(iops === undefined ? [] : [`-${iops.replaceAll(",", "")}iops`]),
    ...(throughput === undefined ? [] : [`-${throughput.replaceAll(",", "")}MiBps`]),
  ];
  return `${type}-${count}x${size}${unit}${provisioned.join("")}`;
}

// Target as entered in the form: guessed from the files, and asked once for all readings
// of one machine.

import type { Need } from "@/api/generated";
import type { Target } from "@/api/measurements/measurements";
import type { Guess, TargetField, Upload, UploadReading } from "@/api/measurements/uploads";

/** Fields of the form as entered. */
export interface Draft {
  instance: string;
  region: string;
  zone: string;
  nodes: string;
  group: "" | "yes" | "no";
  storage: "" | "instance-store" | "ebs";
  disks: string;
  type: string;
  size: string;
  iops: string;
  throughput: string;
  count: string;
}

export type DraftField = keyof Draft;
export type DraftProblems = Partial<Record<DraftField, string>>;

export const EMPTY: Draft = {
  instance: "",
  region: "",
  zone: "",
  nodes: "1",
  group: "",
  storage: "",
  disks: "",
  type: "",
  size: "",
  iops: "",
  throughput: "",
  count: "1",
};

/** One reading of one upload. */
export interface Placed {
  upload: Upload;
  reading: UploadReading;
  /** Unique key. */
  key: string;
}

/** Readings that share one form. */
export interface HostGroup {
  key: string;
  /** Null if the files do not name the machine. */
  host: string | null;
  readings: Placed[];
  needs: Need[];
  guess: Guess;
}

export function placedIn(uploads: readonly Upload[]): Placed[] {
  return uploads.flatMap((upload) =>
    upload.readings.map((reading) => ({ upload, reading, key: `${upload.id} ${reading.position}` })),
  );
}

/** Group readings by machine and kind of storage; stored ones need no form. */
export function hostGroups(placed: readonly Placed[]): HostGroup[] {
  const groups = new Map<string, HostGroup>();
  for (const one of placed) {
    const { reading } = one;
    if (reading.known !== null || reading.status === "failed" || reading.needs.length === 0) continue;
    const host = reading.host?.name ?? null;
    const kind = reading.guess.storage.value?.kind ?? "";
    const key = [host ?? "", kind, reading.guess.instance.value ?? ""].join("|");
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, { key, host, readings: [one], needs: [...reading.needs], guess: reading.guess });
    } else {
      known.readings.push(one);
      const asked = new Set(known.needs.map(({ field }) => field));
      known.needs.push(...reading.needs.filter(({ field }) => !asked.has(field)));
      known.guess = joined(known.guess, reading.guess);
      // If guesses differ, each reading keeps its own unless the user changes it.
      if (known.guess.nodes.value === null) known.needs = known.needs.filter(({ field }) => field !== "nodes");
    }
  }
  return [...groups.values()];
}

/** The first known value of a field in any reading applies to the machine. */
function joined(one: Guess, other: Guess): Guess {
  const entries = (Object.keys(one) as TargetField[]).map((field) => [
    field,
    one[field].value === null ? other[field] : one[field],
  ]);
  const nodes =
    one.nodes.value === other.nodes.value ? one.nodes : { value: null, why: "they differ: each as its file says" };
  return { ...(Object.fromEntries(entries) as Guess), nodes };
}

function written(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

/** Form values from a guess. */
export function draftOf(guess: Guess): Draft {
  const storage = guess.storage.value;
  const group = guess.placement_group.value;
  const filled: Draft = {
    ...EMPTY,
    instance: guess.instance.value ?? "",
    region: guess.region.value ?? "",
    zone: guess.zone.value ?? "",
    nodes: guess.nodes.value === null && guess.nodes.why !== null ? "" : written(guess.nodes.value ?? 1),
    group: group === null ? "" : group ? "yes" : "no",
    storage: storage?.kind ?? "",
  };
  if (storage?.kind === "instance-store") return { ...filled, disks: written(storage.disks) };
  if (storage?.kind === "ebs") {
    const { type, size_gib, iops, throughput_mib_per_s, count } = storage;
    const bought = { iops: written(iops), throughput: written(throughput_mib_per_s), count: written(count) };
    return { ...filled, type, size: written(size_gib), ...bought };
  }
  return filled;
}

/** Parse a number; undefined for an empty text, NaN for an invalid one. */
function numberIn(text: string): number | undefined {
  const bare = text.trim().replaceAll(",", "");
  if (bare === "") return undefined;
  return /^\d+(\.\d+)?$/.test(bare) ? Number(bare) : Number.NaN;
}

const WHOLE = "Enter a whole number from 1, such as 4.";
const ABOVE = "Enter a number above 0, such as 3000.";

/** Message for an empty required field. */
const MISSING: readonly (readonly [needed: TargetField, at: DraftField, words: string])[] = [
  ["instance", "instance", "Enter the EC2 instance type, such as i3.8xlarge."],
  ["region", "region", "Enter the region, such as us-east-1."],
  ["placement_group", "group", "Choose whether the nodes share a placement group."],
  ["storage", "storage", "Choose the storage that was measured."],
];

/** Parse the form: the target if it is complete, and errors by field. */
export function targetOf(draft: Draft, needs: readonly Need[]): { target: Target | null; problems: DraftProblems } {
  const problems: DraftProblems = {};
  const needed = new Set(needs.map(({ field }) => field));
  const whole = (field: DraftField): number | undefined => {
    const value = numberIn(draft[field]);
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) problems[field] = WHOLE;
    return value;
  };
  const bought = (field: DraftField): number | null => {
    const value = numberIn(draft[field]);
    if (value !== undefined && !(value > 0)) problems[field] = ABOVE;
    return value ?? null;
  };
  const missing = (field: DraftField, words: string) => {
    if (draft[field].trim() === "") problems[field] = words;
  };
  for (const [field, at, words] of MISSING) if (needed.has(field)) missing(at, words);
  const nodes = whole("nodes");
  if (needed.has("nodes") && nodes === undefined) problems.nodes = WHOLE;
  let storage: Target["storage"] = null;
  if (draft.storage === "instance-store") {
    const disks = whole("disks");
    if (disks === undefined) problems.disks = WHOLE;
    storage = { kind: "instance-store", disks: disks ?? 1 };
  }
  if (draft.storage === "ebs") {
    missing("type", "Enter the volume type, such as gp3.");
    storage = {
      kind: "ebs",
      type: draft.type.trim(),
      size_gib: bought("size"),
      iops: bought("iops"),
      throughput_mib_per_s: bought("throughput"),
      count: whole("count") ?? 1,
    };
  }
  const said = (text: string) => (text.trim() === "" ? null : text.trim());
  const target: Target = {
    instance: said(draft.instance),
    region: said(draft.region),
    zone: said(draft.zone),
    storage,
    nodes: nodes ?? 1,
    placement_group: draft.group === "" ? null : draft.group === "yes",
  };
  return { target: Object.keys(problems).length === 0 ? target : null, problems };
}

/** Drop the messages about empty fields: these are not errors before the first attempt to store. */
export function withoutEmpty(problems: DraftProblems, draft: Draft): DraftProblems {
  return Object.fromEntries(Object.entries(problems).filter(([field]) => draft[field as DraftField].trim() !== ""));
}

/** Target of a reading without required fields. */
export function guessedTarget({ guess }: Pick<UploadReading, "guess">): Target {
  return {
    instance: guess.instance.value,
    region: guess.region.value,
    zone: guess.zone.value,
    storage: guess.storage.value,
    nodes: guess.nodes.value ?? 1,
    placement_group: guess.placement_group.value,
  };
}

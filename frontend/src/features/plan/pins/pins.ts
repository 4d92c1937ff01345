// Questions of pins and of the current cluster: the form's question with their own differences.

import type { TodayCluster } from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { type Cluster, clusterFromKey, clusterKey, documentWithCluster } from "@/features/plan/address/cluster";
import { pinFrom, pinText } from "@/features/plan/address/pinText";
import { pinsFrom, pinsText, type View } from "@/features/plan/address/view";
import { QUOTAS, SELECTION } from "@/features/plan/limits/relax";
import {
  answerAlike,
  type Choice,
  choiceFromDocument,
  documentChanged,
  isAsked,
} from "@/features/plan/workload/choice";
import { DEFAULTS, FIELDS, type Field } from "@/features/plan/workload/fields";
import { ANY } from "@/features/plan/workload/jobs";
import type { Chosen, openIn } from "@/features/plan/workload/place";
import { answersInWords } from "@/features/plan/workload/workloadWords";

/** Fields that select and judge configurations without changing predictions: for pins, the form's values apply. */
const JUDGING: ReadonlySet<Field> = new Set([
  ...(["objective", "deadline", "chance", "budget", "nodes", "loss", "freespace", "lostnodes"] as const),
  "rereplication",
  ...SELECTION,
  ...QUOTAS,
]);
/** Fields that a pin keeps from its question. */
const KEPT: readonly Field[] = FIELDS.filter((field) => !JUDGING.has(field));
/** Fields that the current cluster keeps; everything else follows the form. */
const KEPT_TODAY: readonly Field[] = ["durability", "replicas"];

type StorageKind = NonNullable<Cluster["storage"]["kind"]>;

/** Default durability of each kind of storage, if that of the question is impossible. */
const USUAL: Record<StorageKind, string> = {
  "instance-store": "none",
  ebs: "infrastructure",
  "object-store": "object-store",
};
const STORAGE_OF: Record<string, StorageKind> = {
  none: "instance-store",
  application: "instance-store",
  infrastructure: "ebs",
  "object-store": "object-store",
};

/** Reset the answers to questions that are not asked to their defaults. */
function counting(choice: Choice): Choice {
  const found: Choice = { ...choice };
  for (const field of FIELDS) if (!isAsked(field, choice)) found[field] = DEFAULTS[field];
  return found;
}

function withAnswers(choice: Choice, answers: ReturnType<typeof pinFrom>["answers"]): Choice {
  const known = answers.filter(([field]) => KEPT.includes(field as Field));
  return counting({ ...counting(choice), ...Object.fromEntries(known) });
}

function answersOf(choice: Choice, base: Choice, kept: readonly Field[]): [Field, string][] {
  const [own, others] = [counting(choice), counting(base)];
  return kept.flatMap((field) =>
    isAsked(field, own) && !answerAlike(field, own, others) ? [[field, own[field]]] : [],
  );
}

/** A configuration from the URL with its own question. */
export interface Resolved {
  /** null if the URL names none. */
  cluster: Cluster | null;
  /** Pin text, including the answers that its storage requires. */
  text: string;
  choice: Choice;
  /** Fields whose answers differ from the form's. */
  differs: Field[];
}

/**
 * Parse a configuration from the URL, with a durability that its storage supports.
 *
 * @param ranked true if it is a row of the answer to the form's question
 */
export function resolved(text: string, base: Choice, ranked = false): Resolved {
  const pin = pinFrom(text);
  const cluster = clusterFromKey(pin.cluster);
  let choice = withAnswers(base, pin.answers);
  const { durability } = choice;
  const kind = cluster?.storage.kind ?? "instance-store";
  if (cluster !== null && !ranked && durability !== ANY && STORAGE_OF[durability] !== kind) {
    choice = counting({ ...choice, durability: USUAL[kind] });
  }
  const answers = answersOf(choice, base, KEPT);
  const differs = answers.map(([field]) => field);
  return { cluster, text: cluster === null ? text : pinText({ cluster: pin.cluster, answers }), choice, differs };
}

/** Build the workload file to predict a configuration: the form's, with the configuration's own answers. */
export function ownDocument(document: WorkloadDocument, base: Choice, { choice, differs }: Resolved): WorkloadDocument {
  return differs.length === 0 ? document : documentChanged(document, counting(base), choice);
}

/** Describe the differences from the form's question: `2 copies`, `40 TB`. */
export function differenceInWords({ choice, differs }: Resolved): string[] {
  return answersInWords(differs, choice);
}

/** Format a configuration found by a search as a pin, with the options that the question left open. */
export function pinOf(cluster: Cluster & Chosen, open: ReturnType<typeof openIn>, base: Choice): string {
  const { purchase, durability, replicas } = cluster;
  const choice: Choice = {
    ...base,
    ...(open.purchase && purchase ? { purchase } : {}),
    ...(open.durability && durability ? { durability, replicas: String(replicas ?? DEFAULTS.replicas) } : {}),
  };
  return pinText({ cluster: clusterKey(cluster), answers: answersOf(choice, base, KEPT) });
}

/** Check if the options chosen by a search match the configuration's own answers. */
export function isChosen(chosen: Chosen, own: Resolved, base: Choice): boolean {
  return own.differs.every((field) => {
    if (field === "purchase") return base.purchase === ANY && chosen.purchase === own.choice.purchase;
    if (field === "durability") return base.durability === ANY && chosen.durability === own.choice.durability;
    return field === "replicas" && String(chosen.replicas) === own.choice.replicas;
  });
}

/** Rewrite a configuration's answers relative to another question. */
function moved(text: string, before: Choice, after: Choice, kept: readonly Field[]): string {
  const pin = pinFrom(text);
  const own = withAnswers(before, pin.answers);
  // A durability left open has no answer of its own, and follows the form.
  const fields = own.durability === ANY ? kept.filter((field) => !KEPT_TODAY.includes(field)) : kept;
  return pinText({ cluster: pin.cluster, answers: answersOf(own, after, fields) });
}

/**
 * Keep the pins and the current cluster unchanged while the question changes, by updating their differences from it.
 */
export function viewMoved(view: View, before: Choice, after: Choice): View {
  const pins = pinsFrom(view.pins);
  const next = pins.map((pin) => moved(pin, before, after, KEPT));
  const isOwn = (text: string) => pinFrom(text).answers.length > 0;
  const follow = (text: string) => (isOwn(text) ? moved(text, before, after, KEPT) : text);
  const { row, why, today } = view;
  return {
    ...view,
    ...(pins.length === 0 ? {} : { pins: pinsText([...new Set(next)]) }),
    ...(row === undefined ? {} : { row: follow(row) }),
    ...(why === undefined ? {} : { why: follow(why) }),
    ...(today === undefined || clusterFromKey(pinFrom(today).cluster) === null
      ? {}
      : { today: moved(today, before, after, KEPT_TODAY) }),
  };
}

/** Format the current cluster for the URL, relative to a question. */
export function todayText(cluster: string, base: Choice, changes: Partial<Choice> = {}): string {
  return pinText({ cluster, answers: answersOf({ ...base, ...changes }, base, KEPT_TODAY) });
}

/** Convert a configuration to the current cluster, keeping only the answers on durability. */
export function asToday(text: string): string {
  const { cluster, answers } = pinFrom(text);
  return pinText({ cluster, answers: answers.filter(([field]) => KEPT_TODAY.includes(field as Field)) });
}

/** Describe the durability of the current cluster, if the URL contains it: `2 copies`. */
export function keptTodayInWords(text: string): string | null {
  const { answers } = pinFrom(asToday(text));
  if (answers.length === 0) return null;
  return answersInWords(["durability"], {
    ...DEFAULTS,
    durability: "application",
    ...Object.fromEntries(answers),
  }).join();
}

/**
 * Convert the current cluster for the API; null if the URL names none.
 *
 * @param paid stated cost of a month, as entered; blank if it is computed
 */
export function todayCluster(text: string, paid = ""): TodayCluster | null {
  const pin = pinFrom(text);
  const cluster = clusterFromKey(pin.cluster);
  if (cluster === null) return null;
  const { durability: model, replicas } = Object.fromEntries(pin.answers);
  const copies = replicas === undefined ? {} : { replicas: Number(replicas) };
  const kept = model ?? (replicas === undefined ? undefined : "application");
  const durability = kept === undefined ? null : { model: kept, ...(kept === "application" ? copies : {}) };
  const cost = paid.trim() === "" ? {} : { cost_per_month: paid.trim() };
  return { ...cluster, durability, ...cost } as TodayCluster;
}

/** Format the current cluster stored with a plan for the URL. */
export function todayFromCluster(today: TodayCluster, base: Choice): string {
  const { durability } = today;
  const changes: Partial<Choice> =
    durability === null || durability === undefined
      ? {}
      : {
          durability: durability.model ?? DEFAULTS.durability,
          ...(durability.model === "application" ? { replicas: String(durability.replicas ?? DEFAULTS.replicas) } : {}),
        };
  return todayText(clusterKey(today as Cluster), base, changes);
}

/** Build the workload file of a pin with its cluster, as stored by the API; null if the URL names none. */
export function pinnedFile(text: string, document: WorkloadDocument, base: Choice): WorkloadDocument | null {
  const own = resolved(text, base);
  return own.cluster === null ? null : documentWithCluster(ownDocument(document, base, own), own.cluster);
}

/** Convert a stored workload file to a pin. */
export function pinFromFile(file: WorkloadDocument, base: Choice): string {
  const { choice } = choiceFromDocument(file);
  // A stored file omits defaults.
  const cluster = { storage: { kind: "instance-store" }, ...(file["cluster"] as Partial<Cluster>) } as Cluster;
  return pinText({ cluster: clusterKey(cluster), answers: answersOf(choice, base, KEPT) });
}

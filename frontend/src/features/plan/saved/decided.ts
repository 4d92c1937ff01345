// Decisions about a plan, converted between URL and API: current cluster, pins, comparison.

import type {
  Decided,
  DecidedAnswer,
  InfeasibleAnswer,
  PinnedFile,
  PredictionAnswer,
  SavedPlanAnswer,
} from "@/api/generated";
import type { WorkloadDocument } from "@/api/queries";
import { pinsFrom, pinsText, SIDE_BY_SIDE, type View } from "@/features/plan/address/view";
import { pinFromFile, pinnedFile, todayCluster, todayFromCluster } from "@/features/plan/pins/pins";
import { type Choice, choiceFromDocument } from "@/features/plan/workload/choice";

/** Maximum number of characters that the API stores. */
export const LONGEST_NOTES = 2_000;

type OfView = Pick<View, "today" | "pays" | "pins" | "durabilities">;

/** Convert the decisions in the URL for the API; notes are not in the URL. */
export function decidedIn(view: OfView, document: WorkloadDocument, base: Choice): Decided {
  return {
    today: view.today === undefined ? null : todayCluster(view.today, view.pays),
    pins: pinsFrom(view.pins).flatMap((pin) => (pinnedFile(pin, document, base) as PinnedFile | null) ?? []),
    durabilities: view.durabilities === SIDE_BY_SIDE,
  };
}

/** Convert the decisions stored with a plan for the URL. */
export function viewOfDecided({ today, pins, durabilities }: DecidedAnswer, base: Choice): OfView {
  return {
    ...(today === null ? {} : { today: todayFromCluster(today.cluster, base) }),
    ...(today?.cluster.cost_per_month == null ? {} : { pays: today.cluster.cost_per_month }),
    ...(pins.length === 0 ? {} : { pins: pinsText(pins.map(({ file }) => pinFromFile(file, base))) }),
    ...(durabilities.length > 0 ? { durabilities: SIDE_BY_SIDE } : {}),
  };
}

/** Return the current cluster stored with a plan and its stated cost, as URL texts. */
export function todayOfPlan({ answer, decided }: SavedPlanAnswer): Pick<View, "today" | "pays"> {
  const { today, pays } = viewOfDecided(decided, choiceFromDocument(answer.workload).choice);
  return { ...(today === undefined ? {} : { today }), ...(pays === undefined ? {} : { pays }) };
}

/** Return the stored predictions by URL text of the configuration. */
export function storedOf(
  { today, pins }: DecidedAnswer,
  base: Choice,
): Map<string, PredictionAnswer | InfeasibleAnswer> {
  const stored = new Map(pins.map(({ file, answer }) => [pinFromFile(file, base), answer] as const));
  if (today !== null) stored.set(todayFromCluster(today.cluster, base), today.answer);
  return stored;
}

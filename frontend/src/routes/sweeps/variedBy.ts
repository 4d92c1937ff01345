import type { Choice } from "@/features/plan/workload/choice";
import type { Quantity } from "@/features/sweeps/quantities";

/** The question of the plan page that an axis of a sweep varies. */
export const VARIED_BY: Record<Quantity, keyof Choice> = {
  data: "data",
  deadline: "deadline",
  durability: "durability",
  replicas: "durability",
  region: "region",
  purchase: "purchase",
};

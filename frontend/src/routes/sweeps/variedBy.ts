import type { Choice } from "@/features/plan/workload/choice";
import type { Quantity } from "@/features/sweeps/quantities";

/** Field of the plan page that each sweep axis varies. */
export const VARIED_BY: Record<Quantity, keyof Choice> = {
  data: "data",
  deadline: "deadline",
  durability: "durability",
  replicas: "durability",
  region: "region",
  purchase: "purchase",
};

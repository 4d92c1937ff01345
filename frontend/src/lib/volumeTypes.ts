// EBS volume types, in the order in which forms list them.

import { VOLUME_TYPES as KNOWN } from "@/api/generated/registry.gen";

export const VOLUME_TYPES: readonly string[] = KNOWN.map(({ name }) => name);

/** Return the quantities that are provisioned for a volume type in addition to its size. */
export function provisionsOf(type: string): readonly ("iops" | "throughput")[] {
  return KNOWN.find(({ name }) => name === type)?.provisions ?? [];
}

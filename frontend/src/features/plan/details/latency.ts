import type { Configuration } from "@/features/plan/configurations/useConfigurations";
import { duration, threeDigits } from "@/lib/wording";

/** Describe the latency of one random I/O, its source, and what is unknown. */
export function latencyWords({ latency }: Pick<Configuration, "latency">): string | null {
  if (latency === null) return null;
  const { io_per_s, mean_ms, p99_ms } = latency;
  const outstanding = (io_per_s * mean_ms) / 1_000;
  const mean = `${duration(mean_ms / 1_000)} on average (${threeDigits(outstanding)} outstanding / ${threeDigits(io_per_s)} per second on each node)`;
  return p99_ms === null
    ? `${mean}; p99 not known: only measured percentiles tell it.`
    : `${mean}; p99 ${duration(p99_ms / 1_000)}.`;
}

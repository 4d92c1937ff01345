import { Radio, Stack, TextInput } from "@mantine/core";
import { Fragment } from "react";
import type { Choice } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { ANY, durabilitiesOf, isHdfs } from "@/features/plan/workload/jobs";
import type { Asking } from "./fields";
import classes from "./WorkloadForm.module.css";

const LABELS: readonly (readonly [durability: string, label: (choice: Choice) => string])[] = [
  ["none", ({ job }) => (isHdfs(job) ? "HDFS replication on instance store" : "Instance store, no replication")],
  ["application", () => "Application-level replication"],
  ["infrastructure", () => "Amazon EBS"],
  ["object-store", () => "Amazon S3"],
  [ANY, () => "Any option that meets a durability target"],
];
/** Default loss limit if the durability is left open. */
const USUAL_LOSS = "0.1 %";

interface DurabilityProps extends Asking {
  /** True if EBS prices are unknown in the region of the cluster. */
  withoutVolumes: boolean;
}

/** Durability options of the job, plus the one in the URL if different. */
export function Durability({ choice, remarks, onChange, withoutVolumes }: DurabilityProps) {
  const allowed = durabilitiesOf(choice.job);
  return (
    <Radio.Group
      label="Durability"
      value={choice.durability}
      error={remarks.fields.durability}
      onChange={(durability) => onChange({ durability, ...lossFor(durability, choice) })}
    >
      <Stack gap={6} mt={4}>
        {LABELS.filter(([durability]) => allowed.includes(durability) || durability === choice.durability).map(
          ([durability, label]) => (
            <Fragment key={durability}>
              <Radio
                value={durability}
                label={label(choice)}
                description={durability === "infrastructure" && withoutVolumes ? "No prices of it here yet" : undefined}
              />
              {durability === "application" && choice.durability === durability && (
                <TextInput
                  className={classes.replicas}
                  label="Copies in all"
                  inputMode="numeric"
                  value={choice.replicas}
                  error={remarks.fields.replicas}
                  onChange={(event) => onChange({ replicas: event.currentTarget.value })}
                  autoComplete="off"
                />
              )}
              {durability === ANY && choice.durability === ANY && (
                <TextInput
                  className={classes.replicas}
                  label="Chance of loss at most"
                  placeholder={`e.g. ${USUAL_LOSS}`}
                  value={choice.loss}
                  error={remarks.fields.loss}
                  onChange={(event) => onChange({ loss: event.currentTarget.value })}
                  autoComplete="off"
                />
              )}
            </Fragment>
          ),
        )}
      </Stack>
    </Radio.Group>
  );
}

/** Return the loss limit for a new durability: an open durability needs one; a fixed one removes it again. */
function lossFor(durability: string, choice: Choice): Partial<Choice> {
  if (durability === ANY) return choice.loss.trim() === "" ? { loss: USUAL_LOSS } : {};
  return choice.durability === ANY ? { loss: DEFAULTS.loss } : {};
}

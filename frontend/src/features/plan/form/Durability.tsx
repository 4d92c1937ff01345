import { Radio, Stack, TextInput } from "@mantine/core";
import { Fragment } from "react";
import { type Choice, DEFAULTS } from "@/features/plan/workload/choice";
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
/** Default loss limit where the durability is left open. */
const USUAL_LOSS = "0.1 %";

interface DurabilityProps extends Asking {
  /** No prices of EBS are known where the cluster runs. */
  withoutVolumes: boolean;
}

/** How the data is kept: what the job allows, and what the address holds beyond it. */
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

/** Leaving it open needs a bound; taking a way to keep the data takes the bound away that came with leaving it open. */
function lossFor(durability: string, choice: Choice): Partial<Choice> {
  if (durability === ANY) return choice.loss.trim() === "" ? { loss: USUAL_LOSS } : {};
  return choice.durability === ANY ? { loss: DEFAULTS.loss } : {};
}

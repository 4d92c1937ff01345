import { Radio, Stack } from "@mantine/core";
import { Fragment } from "react";
import type { Choice } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";
import { ANY, durabilitiesOf, isHdfs } from "@/features/plan/workload/jobs";
import { type Asking, fieldsOf } from "./fields";
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
export function Durability({ withoutVolumes, ...asking }: DurabilityProps) {
  const { choice, remarks, onChange } = asking;
  const { text } = fieldsOf(asking);
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
                <div className={classes.replicas}>{text("replicas", "Copies in all", undefined, "numeric")}</div>
              )}
              {durability === ANY && choice.durability === ANY && (
                <div className={classes.replicas}>{text("loss", "Chance of loss at most", `e.g. ${USUAL_LOSS}`)}</div>
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

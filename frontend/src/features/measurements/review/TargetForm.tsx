import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { catalogs, oneType, versionOf } from "@/api/catalog/catalogs";
import { useMarketNames } from "@/api/catalog/marketNames";
import type { Need } from "@/api/generated";
import type { Guess, TargetField } from "@/api/measurements/uploads";
import classes from "@/features/measurements/Measurements.module.css";
import { VOLUME_TYPES } from "@/lib/volumeTypes";
import { counted } from "@/lib/wording";
import { ERROR_FIRST, fieldsOf, type Options } from "@/ui/forms/fields";
import type { Draft, DraftField, DraftProblems } from "./target";

interface TargetFormProps {
  label: string;
  draft: Draft;
  needs: readonly Need[];
  guess: Guess;
  problems: DraftProblems;
  onChange: (change: Partial<Draft>) => void;
}

const GROUPED: Options = [
  ["", "Choose"],
  ["yes", "Yes"],
  ["no", "No"],
];
const STORAGE: Options = [
  ["", "Choose"],
  ["instance-store", "The instance's own disks"],
  ["ebs", "EBS volumes"],
];
/** Suggestions stay below their field: above it they would cover its label. */
const BELOW = { position: "bottom-start", middlewares: { flip: false, shift: false } } as const;

/** Form for a target; each field shows the reason for its guess, or why it is required. */
export function TargetForm({ label, draft, needs, guess, problems, onChange }: TargetFormProps) {
  const asked = new Map(needs.map((need) => [need.field, need]));
  const { regions, types } = useMarketNames(draft.region);
  const disks = useDisks(draft, types);
  usePrefilledDisks(draft, disks, onChange);
  const why = (field: TargetField, as: string) => {
    const said = guess[field];
    if (said.why !== null && (as.trim() !== "" || said.value === null)) return `${sentenceCase(said.why)}.`;
    const needed = asked.get(field)?.words;
    return needed === undefined ? undefined : `${sentenceCase(needed)}.`;
  };
  const { text, name, select } = fieldsOf<DraftField>({
    values: draft,
    errors: problems,
    onChange: (field, value) => onChange({ [field]: value }),
    size: "xs",
    inputWrapperOrder: ERROR_FIRST,
  });
  return (
    <fieldset className={`fieldset across ${classes.target}`}>
      <legend className="spoken">{label}</legend>
      {name("instance", "Instance type", types, {
        placeholder: "i3.8xlarge",
        description: why("instance", draft.instance),
        limit: 20,
        maxDropdownHeight: 180,
        comboboxProps: BELOW,
      })}
      {name("region", "Region", regions, {
        placeholder: "us-east-1",
        description: why("region", draft.region),
        limit: 40,
        maxDropdownHeight: 180,
        comboboxProps: BELOW,
      })}
      {text("zone", "Zone (optional)", `${draft.region.trim() === "" ? "us-east-1" : draft.region.trim()}a`, {
        description: why("zone", draft.zone),
      })}
      {text("nodes", "Nodes in the cluster", "1", { description: why("nodes", draft.nodes) })}
      {asked.has("placement_group") &&
        select("group", "Placement group", GROUPED, { description: why("placement_group", draft.group) })}
      {(asked.has("storage") || draft.storage !== "") &&
        select("storage", "What was read and written", STORAGE, { description: why("storage", draft.storage) })}
      {draft.storage === "instance-store" &&
        text("disks", "Disks that took part", disks === null || disks === 0 ? "4" : String(disks), {
          description:
            disks === null || problems.disks !== undefined ? undefined : disksWords(draft.instance.trim(), disks),
        })}
      {draft.storage === "ebs" && (
        <>
          {name("type", "Volume type", VOLUME_TYPES, { placeholder: "gp3", comboboxProps: BELOW })}
          {text("count", "Volumes", "1")}
          {text("size", "Size of each [GiB]", "500")}
          {text("iops", "IOPS of each", "3000")}
          {text("throughput", "MiB/s of each", "125")}
        </>
      )}
    </fieldset>
  );
}

function disksWords(instance: string, disks: number): string {
  return disks === 0
    ? `${instance} has no disks of its own: choose EBS volumes.`
    : `${instance} has ${counted(disks, "disk")} of its own.`;
}

/** Return the number of an instance type's own disks; null while it is unknown. */
function useDisks({ instance, region, storage }: Draft, types: readonly string[]): number | null {
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest");
  const name = instance.trim();
  const place = newest?.regions.some((one) => one.name === region.trim()) === true ? region.trim() : "us-east-1";
  const known = useQuery({
    ...oneType(newest?.version ?? "", place, name),
    enabled: newest !== undefined && storage === "instance-store" && types.includes(name),
  }).data;
  return known?.name === name
    ? (known.figures.find(({ quantity }) => quantity.endsWith("disk_count"))?.value ?? 0)
    : null;
}

/** Fill in the number of disks when the instance type or the storage is chosen, unless the user has entered another. */
function usePrefilledDisks(
  { instance, storage, disks }: Draft,
  known: number | null,
  onChange: TargetFormProps["onChange"],
) {
  const filled = useRef("");
  const chosen = known === null || known === 0 || storage !== "instance-store" ? "" : `${instance.trim()} ${known}`;
  const done = useRef("");
  useEffect(() => {
    if (chosen === "" || chosen === done.current) return;
    done.current = chosen;
    if (disks.trim() !== "" && disks !== filled.current) return;
    filled.current = String(known);
    onChange({ disks: filled.current });
  });
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, "");
}

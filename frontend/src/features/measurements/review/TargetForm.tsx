import { useMarketNames } from "@/api/catalog/marketNames";
import type { Need } from "@/api/generated";
import type { Guess, TargetField } from "@/api/measurements/uploads";
import { VOLUME_TYPES } from "@/lib/volumeTypes";
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

/** Form for a target; each field shows the reason for its guess, or why it is required. */
export function TargetForm({ label, draft, needs, guess, problems, onChange }: TargetFormProps) {
  const asked = new Map(needs.map((need) => [need.field, need]));
  const { regions, types } = useMarketNames(draft.region);
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
    <fieldset className="fieldset across">
      <legend className="spoken">{label}</legend>
      {name("instance", "Instance type", types, {
        placeholder: "i3.8xlarge",
        description: why("instance", draft.instance),
        limit: 20,
      })}
      {name("region", "Region", regions, {
        placeholder: "us-east-1",
        description: why("region", draft.region),
        limit: 40,
      })}
      {text("zone", "Zone (optional)", `${draft.region.trim() === "" ? "us-east-1" : draft.region.trim()}a`, {
        description: why("zone", draft.zone),
      })}
      {text("nodes", "Nodes in the cluster", "1", { description: why("nodes", draft.nodes) })}
      {asked.has("placement_group") &&
        select("group", "Placement group", GROUPED, { description: why("placement_group", draft.group) })}
      {(asked.has("storage") || draft.storage !== "") &&
        select("storage", "What was read and written", STORAGE, { description: why("storage", draft.storage) })}
      {draft.storage === "instance-store" && text("disks", "Disks that took part", "4")}
      {draft.storage === "ebs" && (
        <>
          {name("type", "Volume type", VOLUME_TYPES, { placeholder: "gp3" })}
          {text("count", "Volumes", "1")}
          {text("size", "Size of each [GiB]", "500")}
          {text("iops", "IOPS of each", "3000")}
          {text("throughput", "MiB/s of each", "125")}
        </>
      )}
    </fieldset>
  );
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, "");
}

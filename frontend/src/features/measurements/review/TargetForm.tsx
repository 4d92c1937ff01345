import { Autocomplete, NativeSelect, TextInput } from "@mantine/core";
import { useMarketNames } from "@/api/catalog/marketNames";
import type { Guess, Need, TargetField } from "@/api/measurements/uploads";
import classes from "@/features/measurements/Measurements.module.css";
import { VOLUME_TYPES } from "@/lib/volumeTypes";
import type { Draft, DraftField, DraftProblems } from "./target";

interface TargetFormProps {
  label: string;
  draft: Draft;
  needs: readonly Need[];
  guess: Guess;
  problems: DraftProblems;
  onChange: (change: Partial<Draft>) => void;
}

/** Descriptions are below the fields, so that fields of a row align. */
const ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "error", "description"];

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
  const text = (field: DraftField, title: string, placeholder: string, description?: string) => (
    <TextInput
      size="xs"
      inputWrapperOrder={ORDER}
      label={title}
      value={draft[field]}
      error={problems[field]}
      placeholder={placeholder}
      description={description}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
  return (
    <fieldset className={classes.target}>
      <legend className="spoken">{label}</legend>
      <Autocomplete
        size="xs"
        inputWrapperOrder={ORDER}
        label="Instance type"
        value={draft.instance}
        error={problems.instance}
        placeholder="i3.8xlarge"
        description={why("instance", draft.instance)}
        data={types}
        limit={20}
        onChange={(instance) => onChange({ instance })}
        autoComplete="off"
        spellCheck={false}
      />
      <Autocomplete
        size="xs"
        inputWrapperOrder={ORDER}
        label="Region"
        value={draft.region}
        error={problems.region}
        placeholder="us-east-1"
        description={why("region", draft.region)}
        data={regions}
        limit={40}
        onChange={(region) => onChange({ region })}
        autoComplete="off"
        spellCheck={false}
      />
      {text(
        "zone",
        "Zone (optional)",
        `${draft.region.trim() === "" ? "us-east-1" : draft.region.trim()}a`,
        why("zone", draft.zone),
      )}
      {text("nodes", "Nodes in the cluster", "1", why("nodes", draft.nodes))}
      {asked.has("placement_group") && (
        <NativeSelect
          size="xs"
          inputWrapperOrder={ORDER}
          label="Placement group"
          value={draft.group}
          error={problems.group}
          description={why("placement_group", draft.group)}
          data={[
            { value: "", label: asked.has("placement_group") ? "Choose" : "Not known" },
            { value: "yes", label: "Yes" },
            { value: "no", label: "No" },
          ]}
          onChange={(event) => onChange({ group: event.currentTarget.value as Draft["group"] })}
        />
      )}
      {(asked.has("storage") || draft.storage !== "") && (
        <NativeSelect
          size="xs"
          inputWrapperOrder={ORDER}
          label="What was read and written"
          value={draft.storage}
          error={problems.storage}
          description={why("storage", draft.storage)}
          data={[
            { value: "", label: "Choose" },
            { value: "instance-store", label: "The instance's own disks" },
            { value: "ebs", label: "EBS volumes" },
          ]}
          onChange={(event) => onChange({ storage: event.currentTarget.value as Draft["storage"] })}
        />
      )}
      {draft.storage === "instance-store" && text("disks", "Disks that took part", "4")}
      {draft.storage === "ebs" && (
        <>
          <Autocomplete
            size="xs"
            inputWrapperOrder={ORDER}
            label="Volume type"
            value={draft.type}
            error={problems.type}
            placeholder="gp3"
            data={[...VOLUME_TYPES]}
            onChange={(type) => onChange({ type })}
            autoComplete="off"
          />
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

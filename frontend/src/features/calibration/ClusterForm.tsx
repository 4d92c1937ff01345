import { Autocomplete, NativeSelect, TextInput } from "@mantine/core";
import { useMarketNames } from "@/api/catalog/marketNames";
import { VOLUME_TYPES } from "@/lib/volumeTypes";
import classes from "./Calibration.module.css";
import type { ClusterDraft, ClusterProblems, GivenJob, Lacking, Place } from "./logCluster";

interface ClusterFormProps {
  draft: ClusterDraft;
  lacking: Lacking;
  problems: ClusterProblems;
  onChange: (change: Partial<ClusterDraft>) => void;
}

/** Descriptions are below the fields, so that fields of a row align. */
const ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "error", "description"];

/** Form for the details of a cluster that its log lacks. */
export function ClusterForm({ draft, lacking, problems, onChange }: ClusterFormProps) {
  const { regions, types } = useMarketNames(draft.region);
  const common = (field: keyof ClusterDraft, label: string, description?: string) => ({
    size: "xs" as const,
    inputWrapperOrder: ORDER,
    label,
    value: draft[field],
    error: problems[field],
    description,
    autoComplete: "off",
    spellCheck: false,
  });
  const text = (field: keyof ClusterDraft, label: string, placeholder: string, description?: string) => (
    <TextInput
      {...common(field, label, description)}
      placeholder={placeholder}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
    />
  );
  return (
    <fieldset className={classes.cluster}>
      <legend className="spoken">What the log does not say</legend>
      <Autocomplete
        {...common("instance", "Instance type")}
        placeholder="i3.2xlarge"
        data={types}
        limit={20}
        onChange={(instance) => onChange({ instance })}
      />
      {text(
        "nodes",
        "Nodes that held data",
        "4",
        lacking.nodes ? "The log does not name its hosts." : "As the log names its hosts; change it where it differs.",
      )}
      {lacking.data && (
        <>
          <NativeSelect
            {...common("job", "Kind of job", "The log has times only.")}
            data={[
              { value: "", label: "Choose" },
              { value: "sort", label: "Sort" },
              { value: "mapreduce", label: "MapReduce" },
              { value: "hdfs-write", label: "Write files" },
              { value: "hdfs-read", label: "Read files" },
            ]}
            onChange={(event) => onChange({ job: event.currentTarget.value as GivenJob | "" })}
          />
          {text("data", "Data of each job", "100 GB")}
        </>
      )}
      <Autocomplete
        {...common("region", "Region", "us-east-1 unless entered.")}
        placeholder="us-east-1"
        data={regions}
        limit={40}
        onChange={(region) => onChange({ region })}
      />
      <NativeSelect
        {...common("place", "Input and output")}
        data={[
          { value: "", label: "Choose" },
          { value: "instance-store", label: "Instance store (HDFS or local disks)" },
          { value: "object-store", label: "Amazon S3" },
          { value: "ebs", label: "Amazon EBS" },
        ]}
        onChange={(event) => onChange({ place: event.currentTarget.value as Place })}
      />
      {draft.place === "ebs" && (
        <>
          <Autocomplete
            {...common("type", "Volume type")}
            placeholder="gp3"
            data={[...VOLUME_TYPES]}
            onChange={(type) => onChange({ type })}
          />
          {text("count", "Volumes of each node", "1")}
          {text("size", "Size of each [GiB]", "500")}
          {text("iops", "IOPS of each (optional)", "3000")}
          {text("throughput", "MiB/s of each (optional)", "125")}
        </>
      )}
      {draft.place === "instance-store" &&
        text("replicas", "Copies of the output", "1", "As HDFS kept them: its replication factor for the output.")}
      {text(
        "framework",
        "Framework",
        "spark-etl",
        "As it is, or a name of your own: calibrations are made for each name.",
      )}
    </fieldset>
  );
}

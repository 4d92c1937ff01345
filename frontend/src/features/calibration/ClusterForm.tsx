import type { ReactNode } from "react";
import { useMarketNames } from "@/api/catalog/marketNames";
import { VOLUME_TYPES } from "@/lib/volumeTypes";
import { ERROR_FIRST, fieldsOf, type Options } from "@/ui/forms/fields";
import type { ClusterDraft, Lacking } from "./logCluster";

/** Messages about fields: of the form, or of the service. */
export type ClusterRemarks = Partial<Record<keyof ClusterDraft, ReactNode>>;

interface ClusterFormProps {
  draft: ClusterDraft;
  lacking: Lacking;
  problems: ClusterRemarks;
  onChange: (change: Partial<ClusterDraft>) => void;
}

const JOBS: Options = [
  ["", "Choose"],
  ["sort", "Sort"],
  ["mapreduce", "MapReduce"],
  ["hdfs-write", "Write files"],
  ["hdfs-read", "Read files"],
];
const PLACES: Options = [
  ["", "Choose"],
  ["instance-store", "Instance store (HDFS or local disks)"],
  ["object-store", "Amazon S3"],
  ["ebs", "Amazon EBS"],
];

/** Form for the details of a cluster that its log lacks. */
export function ClusterForm({ draft, lacking, problems, onChange }: ClusterFormProps) {
  const { regions, types } = useMarketNames(draft.region);
  const { text, name, select } = fieldsOf<keyof ClusterDraft>({
    values: draft,
    errors: problems,
    onChange: (field, value) => onChange({ [field]: value }),
    size: "xs",
    inputWrapperOrder: ERROR_FIRST,
  });
  return (
    <fieldset className="fieldset across" style={{ margin: "8px 0 12px" }}>
      <legend className="spoken">What the log does not say</legend>
      {name("instance", "Instance type", types, { placeholder: "i3.2xlarge", limit: 20 })}
      {text("nodes", "Nodes that held data", "4", {
        description: lacking.nodes
          ? "The log does not name its hosts."
          : "As the log names its hosts; change it where it differs.",
      })}
      {lacking.data && (
        <>
          {select("job", "Kind of job", JOBS, { description: "The log has times only." })}
          {text("data", "Data of each job", "100 GB")}
        </>
      )}
      {name("region", "Region", regions, {
        placeholder: "us-east-1",
        description: "us-east-1 unless entered.",
        limit: 40,
      })}
      {select("place", "Input and output", PLACES)}
      {draft.place === "ebs" && (
        <>
          {name("type", "Volume type", VOLUME_TYPES, { placeholder: "gp3" })}
          {text("count", "Volumes of each node", "1")}
          {text("size", "Size of each [GiB]", "500")}
          {text("iops", "IOPS of each (optional)", "3000")}
          {text("throughput", "MiB/s of each (optional)", "125")}
        </>
      )}
      {draft.place === "instance-store" &&
        text("replicas", "Copies of the output", "1", {
          description: "As HDFS kept them: its replication factor for the output.",
        })}
      {text("framework", "Framework", "spark-etl", {
        description: "As it is, or a name of your own: calibrations are made for each name.",
      })}
    </fieldset>
  );
}

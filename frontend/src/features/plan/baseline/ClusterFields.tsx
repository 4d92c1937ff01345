import { useId } from "react";
import { fieldsOf, type Options } from "@/ui/forms/fields";
import classes from "./ClusterFields.module.css";
import { isAskedToday, type Today, type TodayErrors, type TodayField } from "./today";

const STORAGE: Options = [
  ["own", "Own disks, divided as is best"],
  ["divided", "Own disks, divided as follows"],
  ["ebs", "EBS volumes"],
  ["object", "Object store"],
];

const LABELS = { instance: "Instance type", nodes: "Nodes today" };

interface ClusterFieldsProps {
  fields: Today;
  errors: TodayErrors;
  /** Instance types sold in the region of the cluster. */
  types: readonly string[];
  /** Default: those of the current cluster. */
  labels?: { instance: string; nodes: string };
  onChange: (field: TodayField, text: string) => void;
}

/** Input fields of a cluster: type, nodes and storage. */
export function ClusterFields({ fields, errors, types, labels = LABELS, onChange }: ClusterFieldsProps) {
  const list = useId();
  const { text, select } = fieldsOf<TodayField>({ values: fields, errors, onChange });
  const number = { inputMode: "numeric" } as const;
  return (
    <div className={`${classes.fields} small-labels`}>
      {text("instance", labels.instance, "e.g. i2.8xlarge", { list })}
      <datalist id={list}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {text("nodes", labels.nodes, "e.g. 40", number)}
      {select("storage", "Storage", STORAGE, { className: classes.wide })}
      {isAskedToday("outer", fields) && (
        <>
          {text("outer", "Disks: input, output", undefined, number)}
          {text("inner", "Disks: intermediate", undefined, number)}
        </>
      )}
      {isAskedToday("size", fields) && (
        <>
          {text("type", "Volume type")}
          {text("count", "Volumes per node", undefined, number)}
          {text("size", "Size of each")}
        </>
      )}
      {isAskedToday("iops", fields) && text("iops", "IOPS of each", "as the type has", number)}
      {isAskedToday("throughput", fields) && text("throughput", "MiB/s of each", "as the type has", number)}
    </div>
  );
}

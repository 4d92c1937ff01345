import { NativeSelect, TextInput } from "@mantine/core";
import { useId } from "react";
import classes from "./ClusterFields.module.css";
import { isAskedToday, type Today, type TodayErrors, type TodayField } from "./today";

const STORAGE = [
  { value: "own", label: "Own disks, divided as is best" },
  { value: "divided", label: "Own disks, divided as follows" },
  { value: "ebs", label: "EBS volumes" },
  { value: "object", label: "Object store" },
];

interface ClusterFieldsProps {
  fields: Today;
  errors: TodayErrors;
  /** Instance types sold in the region of the cluster. */
  types: readonly string[];
  labels: { instance: string; nodes: string };
  onChange: (field: TodayField, text: string) => void;
}

/** Input fields of a cluster: type, nodes and storage. */
export function ClusterFields({ fields, errors, types, labels, onChange }: ClusterFieldsProps) {
  const list = useId();
  const text = (field: TodayField, label: string) => ({
    label,
    value: fields[field],
    error: errors[field],
    onChange: (event: { currentTarget: { value: string } }) => onChange(field, event.currentTarget.value),
    autoComplete: "off",
    spellCheck: false,
  });
  return (
    <div className={classes.fields}>
      <TextInput {...text("instance", labels.instance)} placeholder="e.g. i2.8xlarge" list={list} />
      <datalist id={list}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <TextInput {...text("nodes", labels.nodes)} placeholder="e.g. 40" inputMode="numeric" />
      <NativeSelect
        className={classes.wide}
        label="Storage"
        data={STORAGE}
        value={fields.storage}
        error={errors.storage}
        onChange={(event) => onChange("storage", event.currentTarget.value)}
      />
      {isAskedToday("outer", fields) && (
        <>
          <TextInput {...text("outer", "Disks: input, output")} inputMode="numeric" />
          <TextInput {...text("inner", "Disks: intermediate")} inputMode="numeric" />
        </>
      )}
      {isAskedToday("size", fields) && (
        <>
          <TextInput {...text("type", "Volume type")} />
          <TextInput {...text("count", "Volumes per node")} inputMode="numeric" />
          <TextInput {...text("size", "Size of each")} />
        </>
      )}
      {isAskedToday("iops", fields) && (
        <TextInput {...text("iops", "IOPS of each")} placeholder="as the type has" inputMode="numeric" />
      )}
      {isAskedToday("throughput", fields) && (
        <TextInput {...text("throughput", "MiB/s of each")} placeholder="as the type has" inputMode="numeric" />
      )}
    </div>
  );
}

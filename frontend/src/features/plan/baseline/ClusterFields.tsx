import { useId, useState } from "react";
import { fieldsOf, type Options } from "@/ui/forms/fields";
import classes from "./ClusterFields.module.css";
import { isAskedToday, type Today, type TodayErrors, type TodayField } from "./today";

const STORAGE: Options = [
  ["own", "Own disks, best split"],
  ["divided", "Own disks, split below"],
  ["ebs", "EBS volumes"],
  ["object", "Object store"],
];

const LABELS = { instance: "Instance type", nodes: "Nodes today" };

interface FieldsProps {
  fields: Today;
  errors: TodayErrors;
  onChange: (field: TodayField, text: string) => void;
}

interface NodesFieldsProps extends FieldsProps {
  /** Instance types sold in the region of the cluster. */
  types: readonly string[];
  /** Default: those of the current cluster. */
  labels?: { instance: string; nodes: string };
}

const WHOLE = { inputMode: "numeric" } as const;

/** Input fields of a cluster: type, nodes and storage. */
export function ClusterFields(props: NodesFieldsProps) {
  return (
    <div className={`${classes.fields} small-labels`}>
      <NodesFields {...props} />
      <StorageFields {...props} />
    </div>
  );
}

/** Input fields of the nodes of a cluster: type and number. */
export function NodesFields({ fields, errors, types, labels = LABELS, onChange }: NodesFieldsProps) {
  const list = useId();
  // A region sells over a thousand types: they would be most of the page's elements, and are rarely asked for.
  const [offered, setOffered] = useState(false);
  const { text } = fieldsOf<TodayField>({ values: fields, errors, onChange });
  return (
    <>
      {text("instance", labels.instance, "e.g. i3.large", { list, onFocus: () => setOffered(true) })}
      <datalist id={list}>{offered && types.map((type) => <option key={type} value={type} />)}</datalist>
      {text("nodes", labels.nodes, "e.g. 40", WHOLE)}
    </>
  );
}

/** Input fields of the storage of a cluster. */
export function StorageFields({ fields, errors, onChange }: FieldsProps) {
  const { text, select } = fieldsOf<TodayField>({ values: fields, errors, onChange });
  return (
    <>
      {select("storage", "Storage", STORAGE, { className: classes.wide })}
      {isAskedToday("outer", fields) && (
        <>
          {text("outer", "Disks: input, output", undefined, WHOLE)}
          {text("inner", "Disks: intermediate", undefined, WHOLE)}
        </>
      )}
      {isAskedToday("size", fields) && (
        <>
          {text("type", "Volume type")}
          {text("count", "Volumes per node", undefined, WHOLE)}
          {text("size", "Size of each")}
        </>
      )}
      {isAskedToday("iops", fields) && text("iops", "IOPS of each", "as the type has", WHOLE)}
      {isAskedToday("throughput", fields) && text("throughput", "MiB/s of each", "as the type has", WHOLE)}
    </>
  );
}

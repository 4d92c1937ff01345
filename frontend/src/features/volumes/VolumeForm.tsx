import { Button, Collapse, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { catalogues, versionOf } from "@/api/catalogues";
import { DEFAULTS, type Field, type Question, type Remarks } from "./search";
import classes from "./VolumesPage.module.css";

interface VolumeFormProps {
  question: Question;
  remarks: Remarks;
  onChange: (changes: Partial<Question>) => void;
}

type Options = readonly (readonly [value: string, label: string])[];

const PATTERNS: Options = [
  ["random", "Random"],
  ["sequential", "Sequential (merged)"],
];
const TYPES = ["gp3", "gp2", "io2", "io1", "st1", "sc1", "standard"] as const;
const PROVISIONED = new Set(["gp3", "io1", "io2"]);
const MORE: readonly Field[] = ["io", "credits", "most", "region", "catalogue"];

/** Whether something behind "More" was chosen, and should therefore be seen. */
function hasMore(question: Question): boolean {
  return MORE.some((field) => question[field] !== DEFAULTS[field]);
}

/** A type that is there has a size, and IOPS where it needs them: begin with some that can be ordered. */
function picked(field: Field, value: string, question: Question): Partial<Question> {
  if (field !== "have") return { [field]: value };
  const size = question.size === "" ? { size: "500 GiB" } : {};
  const iops = value === "io1" || value === "io2" ? question.haveIops || "1,000" : "";
  return { have: value, ...size, haveIops: iops, haveThroughput: "" };
}

/** The questions: what must be held, carried, and for how long; the rest on demand. */
export function VolumeForm({ question, remarks, onChange }: VolumeFormProps) {
  const known = useQuery(catalogues).data ?? [];
  const [opened, setOpened] = useState(() => hasMore(question));
  const moreId = useId();
  const more = opened || MORE.some((field) => remarks.fields[field] !== undefined);
  const text = (field: Field, label: string, placeholder: string, description?: string): ReactNode => (
    <TextInput
      label={label}
      value={question[field]}
      error={remarks.fields[field]}
      placeholder={placeholder}
      description={description}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
  const select = (field: Field, label: string, options: Options): ReactNode => (
    <NativeSelect
      label={label}
      value={question[field]}
      error={remarks.fields[field]}
      data={(options.some(([value]) => value === question[field])
        ? options
        : [...options, [question[field], question[field]] as const]
      ).map(([value, shown]) => ({ value, label: shown }))}
      onChange={(event) => onChange(picked(field, event.currentTarget.value, question))}
    />
  );
  const version = versionOf(known, question.catalogue);
  const regions = version?.regions.filter(({ volume_types }) => volume_types > 0).map(({ name }) => name) ?? [];
  return (
    <form className={classes.questions} aria-label="What is needed" onSubmit={(event) => event.preventDefault()}>
      {text("capacity", "Capacity", "1 TiB")}
      <div className={classes.pair}>
        {text("iops", "IOPS", "none")}
        {text("throughput", "Throughput", "250 MB/s")}
      </div>
      {text("lasts", "For how long a day", "24 h")}
      {select("pattern", "Pattern", PATTERNS)}
      {text("instance", "Instance type", "any", "Its link to EBS may throttle the volumes.")}
      <fieldset className={classes.have}>
        <legend>What is there today</legend>
        {select("have", "Type", [["", "Nothing"], ...TYPES.map((type) => [type, type] as const)])}
        {question.have !== "" && (
          <>
            <div className={classes.pair}>
              {text("count", "Volumes", "1")}
              {text("size", "Of", "500 GiB")}
            </div>
            {PROVISIONED.has(question.have) && (
              <div className={classes.pair}>
                {text("haveIops", "IOPS each", question.have === "gp3" ? "3,000" : "1,000")}
                {question.have === "gp3" && text("haveThroughput", "MiB/s each", "125")}
              </div>
            )}
          </>
        )}
      </fieldset>
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes.more}
          aria-expanded={more}
          aria-controls={moreId}
          onClick={() => setOpened(!opened)}
        >
          {more ? "Less" : "More"}
        </Button>
        <Collapse expanded={more} id={moreId}>
          <div className={classes.questions}>
            {text("io", "Size of one I/O", "16 KiB")}
            {text("credits", "Burst credit at the start: full, empty or a share", "full")}
            {text("most", "Volumes at most", question.instance === "" ? "16" : "as many as it takes")}
            {select(
              "region",
              "Region",
              (regions.length === 0 ? [DEFAULTS.region] : regions).map((region) => [region, region] as const),
            )}
            {select("catalogue", "Catalogue", [
              ["latest", "Latest"],
              ...known.filter(({ searchable }) => searchable).map((one) => [one.version, one.version] as const),
            ])}
          </div>
        </Collapse>
      </div>
    </form>
  );
}

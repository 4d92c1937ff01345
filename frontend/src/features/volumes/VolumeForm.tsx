import { Button, Collapse, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { catalogs, type VolumeType, versionOf, volumeTypes } from "@/api/catalog/catalogs";
import { count } from "@/lib/wording";
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
const MORE: readonly Field[] = ["io", "credits", "most", "region", "catalog"];

/** Check if a field under "More" differs from its default, and should be visible. */
function hasMore(question: Question): boolean {
  return MORE.some((field) => question[field] !== DEFAULTS[field]);
}

/** Purchasable options of a volume other than size, with the amounts included; an empty amount must be specified. */
interface Provisioning {
  iops: { included: string } | undefined;
  throughput: { included: string } | undefined;
}

function provisioningOf(type: VolumeType | undefined): Provisioning {
  const figures = new Map(type?.figures.map(({ quantity, value }) => [quantity.split(".").at(-1), value]));
  const bought = (price: string, included: string) => {
    const amount = figures.get(included);
    return figures.has(price) ? { included: amount === undefined ? "" : count(amount) } : undefined;
  };
  return {
    iops: bought("usd_per_iops_month", "included_iops"),
    throughput: bought("usd_per_mib_per_s_month", "included_mib_per_s"),
  };
}

/** Default IOPS of a type that includes none. */
const SOME_IOPS = "1,000";

/** Return the fields of an existing volume: a size, and IOPS if the type requires them. */
function present(have: string, { iops }: Provisioning, question: Question): Partial<Question> {
  const size = question.size === "" ? { size: "500 GiB" } : {};
  return { have, ...size, haveIops: iops?.included === "" ? question.haveIops || SOME_IOPS : "", haveThroughput: "" };
}

/** Form of the volume designer: capacity, load and duration; the rest on demand. */
export function VolumeForm({ question, remarks, onChange }: VolumeFormProps) {
  const known = useQuery(catalogs).data ?? [];
  const [opened, setOpened] = useState(() => hasMore(question));
  const moreId = useId();
  const more = opened || MORE.some((field) => remarks.fields[field] !== undefined);
  const version = versionOf(known, question.catalog);
  const regions = version?.regions.filter(({ volume_types }) => volume_types > 0).map(({ name }) => name) ?? [];
  const types = useQuery(volumeTypes(version?.version ?? "", question.region)).data?.volume_types ?? [];
  const provisioning = (have: string) => provisioningOf(types.find(({ name }) => name === have));
  const there = provisioning(question.have);
  const pick = (field: Field, value: string) =>
    onChange(field === "have" ? present(value, provisioning(value), question) : { [field]: value });
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
      onChange={(event) => pick(field, event.currentTarget.value)}
    />
  );
  return (
    <form className={classes.questions} aria-label="What is needed" onSubmit={(event) => event.preventDefault()}>
      {text("capacity", "Capacity", "1 TiB")}
      <div className={classes.pair}>
        {text("iops", "IOPS", "none")}
        {text("throughput", "Throughput", "250 MB/s")}
      </div>
      {text("lasts", "Hours per day at peak", "24 h")}
      {select("pattern", "Pattern", PATTERNS)}
      {text("instance", "Instance type", "any", "Its link to EBS may throttle the volumes.")}
      <fieldset className={classes.have}>
        <legend>Current volumes</legend>
        {select("have", "Type", [["", "Nothing"], ...types.map(({ name }) => [name, name] as const)])}
        {question.have !== "" && (
          <>
            <div className={classes.pair}>
              {text("count", "Volumes", "1")}
              {text("size", "Of", "500 GiB")}
            </div>
            {there.iops !== undefined && (
              <div className={classes.pair}>
                {text("haveIops", "IOPS each", there.iops.included || SOME_IOPS)}
                {there.throughput !== undefined && text("haveThroughput", "MiB/s each", there.throughput.included)}
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
            {select("catalog", "Catalog", [
              ["latest", "Latest"],
              ...known.filter(({ searchable }) => searchable).map((one) => [one.version, one.version] as const),
            ])}
          </div>
        </Collapse>
      </div>
    </form>
  );
}

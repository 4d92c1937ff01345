import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogs, type VolumeType, versionOf, volumeTypes } from "@/api/catalog/catalogs";
import { count } from "@/lib/wording";
import { fieldsOf, type Options } from "@/ui/forms/fields";
import { More } from "@/ui/forms/More";
import { DEFAULTS, type Field, type Question, type Remarks } from "./search";
import classes from "./VolumesPage.module.css";

interface VolumeFormProps {
  question: Question;
  remarks: Remarks;
  onChange: (changes: Partial<Question>) => void;
}

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
  const more = opened || MORE.some((field) => remarks.fields[field] !== undefined);
  const version = versionOf(known, question.catalog);
  const regions = version?.regions.filter(({ volume_types }) => volume_types > 0).map(({ name }) => name) ?? [];
  const types = useQuery(volumeTypes(version?.version ?? "", question.region)).data?.volume_types ?? [];
  const provisioning = (have: string) => provisioningOf(types.find(({ name }) => name === have));
  const there = provisioning(question.have);
  const pick = (field: Field, value: string) =>
    onChange(field === "have" ? present(value, provisioning(value), question) : { [field]: value });
  const { text, select } = fieldsOf<Field>({
    values: question,
    errors: remarks.fields,
    onChange: (field, value, typed) => (typed ? onChange({ [field]: value }) : pick(field, value)),
  });
  return (
    <form
      className={`questions ${classes.questions}`}
      aria-label="What is needed"
      onSubmit={(event) => event.preventDefault()}
    >
      {text("capacity", "Capacity", "1 TiB")}
      <div className="pair">
        {text("iops", "IOPS", "none")}
        {text("throughput", "Throughput", "250 MB/s")}
      </div>
      {text("lasts", "Hours per day at peak", "24 h")}
      {select("pattern", "Pattern", PATTERNS)}
      {text("instance", "Instance type", "any", { description: "Its link to EBS may throttle the volumes." })}
      <fieldset className={`fieldset ${classes.have}`}>
        <legend>Current volumes</legend>
        {select("have", "Type", [["", "Nothing"], ...types.map(({ name }) => [name, name] as const)])}
        {question.have !== "" && (
          <>
            <div className="pair">
              {text("count", "Volumes", "1")}
              {text("size", "Of", "500 GiB")}
            </div>
            {there.iops !== undefined && (
              <div className="pair">
                {text("haveIops", "IOPS each", there.iops.included || SOME_IOPS)}
                {there.throughput !== undefined && text("haveThroughput", "MiB/s each", there.throughput.included)}
              </div>
            )}
          </>
        )}
      </fieldset>
      <More opened={more} onToggle={() => setOpened(!opened)}>
        <div className={`questions ${classes.questions}`}>
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
      </More>
    </form>
  );
}

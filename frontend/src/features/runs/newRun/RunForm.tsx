import { Group, NativeSelect, Radio } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMarketNames } from "@/api/catalog/marketNames";
import type { AwsAccount } from "@/api/runs/awsAccounts";
import classes from "@/features/runs/Runs.module.css";
import { VOLUME_TYPES } from "@/lib/volumeTypes";
import { DESCRIPTION_FIRST, fieldsOf, type Options } from "@/ui/forms/fields";
import { More } from "@/ui/forms/More";
import {
  ALL_BENCHMARKS,
  asks,
  BENCHMARKS,
  benchmarkOf,
  DEFAULTS,
  type Field,
  type Question,
  type Remarks,
} from "./question";

interface RunFormProps {
  question: Question;
  remarks: Remarks;
  /** Null while unknown. */
  accounts: readonly AwsAccount[] | null;
  /** Id of the selected account; empty for none. */
  account: string;
  onChange: (changes: Partial<Question>, typed?: boolean) => void;
}

const STORAGE: Options = [
  ["instance-store", "The instance's own disks"],
  ["ebs", "EBS volumes"],
];
const MARKETS: Options = [
  ["on-demand", "On-demand"],
  ["spot", "Spot"],
];
const MORE: readonly Field[] = ["zone", "market", "measured", "warm", "connections", "compare", "called"];

/** Form of a new run: benchmark, target, place and duration; other fields on demand. */
export function RunForm({ question, remarks, accounts, account, onChange }: RunFormProps) {
  const [opened, setOpened] = useState(() => MORE.some((field) => question[field] !== DEFAULTS[field]));
  const more = opened || MORE.some((field) => remarks[field] !== undefined);
  const { regions, types } = useMarketNames(question.region, "");
  const shown = asks(question);
  const benchmark = benchmarkOf(question);
  const { text, name, select, check } = fieldsOf<Field>({
    values: question,
    errors: remarks,
    onChange: (field, value, typed) => onChange({ [field]: value }, typed),
  });
  return (
    <form className="questions" aria-label="What is measured" onSubmit={(event) => event.preventDefault()}>
      <Accounts accounts={accounts} account={account} onChange={onChange} remark={remarks.account} />
      <Radio.Group
        label="Benchmark"
        value={benchmark}
        error={remarks.benchmark}
        onChange={(value) => onChange({ benchmark: value }, false)}
      >
        <Group align="stretch" gap="8px 14px" mt={6}>
          {ALL_BENCHMARKS.map((one) => (
            <Radio key={one} value={one} label={BENCHMARKS[one].name} size="xs" />
          ))}
        </Group>
      </Radio.Group>
      <p className="dim small" style={{ margin: "-4px 0 0" }}>
        {BENCHMARKS[benchmark].note}
      </p>
      <div className="pair">
        {name("instance", "Instance type", types, { limit: 20 })}
        {text("nodes", "Nodes", "4")}
      </div>
      {shown.disk && select("storage", "What is read and written", STORAGE)}
      {shown.ebs && (
        <fieldset className={`fieldset ${classes.volumes}`}>
          <legend className="spoken">Volumes of each node</legend>
          <div className="pair">
            {text("count", "Volumes a node", "1")}
            {select(
              "type",
              "Type",
              VOLUME_TYPES.map((type) => [type, type] as const),
            )}
          </div>
          {text("size", "Size of each [GiB]", "500")}
          <div className="pair">
            {text("iops", "IOPS of each", "included")}
            {text("throughput", "MiB/s of each", "included")}
          </div>
        </fieldset>
      )}
      {name("region", "Region", regions, { limit: 40 })}
      {shown.net && check("group", "Placement group", { description: "Nodes close to each other." })}
      {text("limit", "Over after", "30 min", { description: "Every node terminates itself by then." })}
      <More opened={more} onToggle={() => setOpened(!opened)}>
        <div className="questions">
          {text("called", "Name", "as the benchmark and the nodes say")}
          {text("zone", "Zone", "any that has room")}
          {select("market", "Paid", MARKETS, {
            description: question.market === "spot" ? "AWS may take nodes back in the middle." : undefined,
          })}
          <div className="pair">
            {text("measured", "Measured for", shown.net && !shown.disk ? "20 s" : "60 s")}
            {text("warm", "After a warm-up", shown.net && !shown.disk ? "3 s" : "10 s")}
          </div>
          {shown.net && (
            <>
              {text("connections", "Connections a pair", "1")}
              {check("compare", "Compare with iperf3", {
                description: "Between two of the nodes, in the same run.",
              })}
            </>
          )}
        </div>
      </More>
    </form>
  );
}

type AccountsProps = Pick<RunFormProps, "accounts" | "account" | "onChange"> & {
  remark: string | undefined;
};

/** Account in which the run is launched. */
function Accounts({ accounts, account, onChange, remark }: AccountsProps) {
  if (accounts === null) return null;
  const usable = accounts.filter(({ state }) => state === "connected");
  if (usable.length === 0) {
    return (
      <div className={classes.connect}>
        {accounts.length === 0 ? "No AWS account is connected yet." : "No connected AWS account is ready yet."}{" "}
        <Link to="/settings/aws-accounts">{accounts.length === 0 ? "Connect one" : "See why"}</Link>
      </div>
    );
  }
  return (
    <NativeSelect
      label="AWS account"
      value={account}
      error={remark}
      data={[
        ...(account === "" ? [{ value: "", label: "Choose" }] : []),
        ...usable.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      description={usable.find(({ id }) => id === account)?.account ?? undefined}
      inputWrapperOrder={DESCRIPTION_FIRST}
      onChange={(event) => onChange({ account: event.currentTarget.value }, false)}
    />
  );
}

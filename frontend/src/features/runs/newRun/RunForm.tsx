import { Autocomplete, Button, Checkbox, Collapse, NativeSelect, Radio, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useMemo, useState } from "react";
import { catalogs, regionNames, versionOf } from "@/api/catalog/catalogs";
import type { AwsAccount } from "@/api/runs/awsAccounts";
import classes from "@/features/runs/Runs.module.css";
import { VOLUME_TYPES } from "@/lib/volumeTypes";
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
  connect: (words: string) => ReactNode;
  onChange: (changes: Partial<Question>, typed?: boolean) => void;
}

const MORE: readonly Field[] = ["zone", "market", "measured", "warm", "connections", "compare", "called"];

/** Form of a new run: benchmark, target, place and duration; other fields on demand. */
export function RunForm({ question, remarks, accounts, account, connect, onChange }: RunFormProps) {
  const [opened, setOpened] = useState(() => MORE.some((field) => question[field] !== DEFAULTS[field]));
  const moreId = useId();
  const more = opened || MORE.some((field) => remarks[field] !== undefined);
  const { regions, types } = useNames(question.region);
  const shown = asks(question);
  const benchmark = benchmarkOf(question);
  const text = (field: Field, label: string, placeholder: string, description?: string) => (
    <TextInput
      label={label}
      value={question[field]}
      error={remarks[field]}
      placeholder={placeholder}
      description={description}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
  const names = (field: Field, label: string, data: string[], limit: number) => (
    <Autocomplete
      label={label}
      value={question[field]}
      error={remarks[field]}
      data={data}
      limit={limit}
      onChange={(value) => onChange({ [field]: value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
  return (
    <form className={classes.questions} aria-label="What is measured" onSubmit={(event) => event.preventDefault()}>
      <Accounts accounts={accounts} account={account} connect={connect} onChange={onChange} remark={remarks.account} />
      <Radio.Group
        label="Benchmark"
        value={benchmark}
        error={remarks.benchmark}
        onChange={(value) => onChange({ benchmark: value }, false)}
      >
        <div className={classes.choices}>
          {ALL_BENCHMARKS.map((one) => (
            <Radio key={one} value={one} label={BENCHMARKS[one].name} size="xs" />
          ))}
        </div>
      </Radio.Group>
      <p className={classes.note}>{BENCHMARKS[benchmark].note}</p>
      <div className={classes.pair}>
        {names("instance", "Instance type", types, 20)}
        {text("nodes", "Nodes", "4")}
      </div>
      {shown.disk && (
        <NativeSelect
          label="What is read and written"
          value={question.storage}
          error={remarks.storage}
          data={[
            { value: "instance-store", label: "The instance's own disks" },
            { value: "ebs", label: "EBS volumes" },
          ]}
          onChange={(event) => onChange({ storage: event.currentTarget.value }, false)}
        />
      )}
      {shown.ebs && (
        <fieldset className={classes.volumes}>
          <legend className="spoken">Volumes of each node</legend>
          <div className={classes.pair}>
            {text("count", "Volumes a node", "1")}
            <NativeSelect
              label="Type"
              value={question.type}
              error={remarks.type}
              data={[...new Set([...VOLUME_TYPES, question.type])]}
              onChange={(event) => onChange({ type: event.currentTarget.value }, false)}
            />
          </div>
          {text("size", "Size of each [GiB]", "500")}
          <div className={classes.pair}>
            {text("iops", "IOPS of each", "included")}
            {text("throughput", "MiB/s of each", "included")}
          </div>
        </fieldset>
      )}
      {names("region", "Region", regions, 40)}
      {shown.net && (
        <Checkbox
          label="Placement group"
          description="Nodes close to each other."
          checked={question.group === "yes"}
          error={remarks.group}
          onChange={(event) => onChange({ group: event.currentTarget.checked ? "yes" : "no" }, false)}
        />
      )}
      {text("limit", "Over after", "30 min", "Every node terminates itself by then.")}
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
            {text("called", "Name", "as the benchmark and the nodes say")}
            {text("zone", "Zone", "any that has room")}
            <NativeSelect
              label="Paid"
              value={question.market}
              error={remarks.market}
              description={question.market === "spot" ? "AWS may take nodes back in the middle." : undefined}
              inputWrapperOrder={["label", "input", "description", "error"]}
              data={[
                { value: "on-demand", label: "On-demand" },
                { value: "spot", label: "Spot" },
              ]}
              onChange={(event) => onChange({ market: event.currentTarget.value }, false)}
            />
            <div className={classes.pair}>
              {text("measured", "Measured for", shown.net && !shown.disk ? "20 s" : "60 s")}
              {text("warm", "After a warm-up", shown.net && !shown.disk ? "3 s" : "10 s")}
            </div>
            {shown.net && (
              <>
                {text("connections", "Connections a pair", "1")}
                <Checkbox
                  label="Compare with iperf3"
                  description="Between two of the nodes, in the same run."
                  checked={question.compare === "yes"}
                  error={remarks.compare}
                  onChange={(event) => onChange({ compare: event.currentTarget.checked ? "yes" : "no" }, false)}
                />
              </>
            )}
          </div>
        </Collapse>
      </div>
    </form>
  );
}

type AccountsProps = Pick<RunFormProps, "accounts" | "account" | "connect" | "onChange"> & {
  remark: string | undefined;
};

/** Account in which the run is launched. */
function Accounts({ accounts, account, connect, onChange, remark }: AccountsProps) {
  if (accounts === null) return null;
  const usable = accounts.filter(({ state }) => state === "connected");
  if (usable.length === 0) {
    return (
      <div className={classes.connect}>
        {accounts.length === 0 ? "No AWS account is connected yet." : "No connected AWS account is ready yet."}{" "}
        {connect(accounts.length === 0 ? "Connect one" : "See why")}
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
      inputWrapperOrder={["label", "input", "description", "error"]}
      onChange={(event) => onChange({ account: event.currentTarget.value }, false)}
    />
  );
}

/** Instance types by region. */
function useNames(region: string): { regions: string[]; types: string[] } {
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest");
  const regions = useMemo(() => newest?.regions.map(({ name }) => name) ?? [], [newest]);
  const known = regions.includes(region.trim()) ? region.trim() : "";
  const query = useQuery({
    ...regionNames(newest?.version ?? "", known),
    enabled: newest !== undefined && known !== "",
  });
  const types = useMemo(() => query.data?.instance_types ?? [], [query.data]);
  return { regions, types };
}

import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { addWatch } from "@/api/generated";
import { forTeam } from "@/api/requests";
import type { AwsAccount } from "@/api/runs/awsAccounts";
import { watchesKey } from "@/api/runs/watches";
import { useChange } from "@/api/useChange";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { fieldsOf } from "@/ui/forms/fields";
import { submits } from "@/ui/forms/submits";

interface WatchFormProps {
  /** Connected accounts; at least one. */
  accounts: readonly AwsAccount[];
  onAdded: (id: string) => void;
  onEnd: () => void;
}

const FIELDS = ["account_id", "region", "volume_id"] as const;

/** Form for the volume to monitor. */
export function WatchForm({ accounts, onAdded, onEnd }: WatchFormProps) {
  const [values, setValues] = useState({
    account_id: accounts[0]?.id ?? "",
    region: accounts[0]?.bucket_region ?? "us-east-1",
    volume_id: "",
  });
  const { account_id, region, volume_id } = values;
  const adding = useChange(
    () => addWatch({ body: { account_id, region: region.trim(), volume_id: volume_id.trim() }, ...forTeam() }),
    [watchesKey()],
    ({ id }) => onAdded(id),
  );
  const { text, select } = fieldsOf<keyof typeof values>({
    values,
    errors: Object.fromEntries(FIELDS.map((field) => [field, remarkOn(adding.error, field)])),
    onChange: (field, value) => setValues((before) => ({ ...before, [field]: value })),
  });
  return (
    <form className="card" aria-labelledby="add-volume" onSubmit={submits(() => adding.mutate())}>
      <h2 id="add-volume" style={{ margin: "0.83em 0", fontSize: "1.5em" }}>
        Monitor a volume
      </h2>
      <div className="across small-labels" style={{ margin: "8px 0 12px" }}>
        {select(
          "account_id",
          "AWS account",
          accounts.map(({ id, name }) => [id, name] as const),
        )}
        {text("region", "Region")}
        {text("volume_id", "Volume", "vol-0123456789abcdef0", { "data-autofocus": true })}
      </div>
      <p className="dim small">
        AWS charges the account USD 0.01 for 1,000 metrics that are asked for: about $0.50 to $1 a month for a volume
        that is read every five minutes.
      </p>
      <Refusal error={adding.error} fields={FIELDS} kept="The volume is not monitored." />
      <Group gap="xs" mt="sm">
        <Button type="submit" size="compact-sm" loading={adding.isPending} disabled={volume_id.trim() === ""}>
          Start monitoring
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={onEnd}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

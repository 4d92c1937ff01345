import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { AwsAccount } from "@/api/runs/awsAccounts";
import { add, watchesKey } from "@/api/runs/watches";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import classes from "./Watches.module.css";

interface WatchFormProps {
  /** Connected accounts; at least one. */
  accounts: readonly AwsAccount[];
  onAdded: (id: string) => void;
  onEnd: () => void;
}

/** Form for the volume to monitor. */
export function WatchForm({ accounts, onAdded, onEnd }: WatchFormProps) {
  const client = useQueryClient();
  const [account, setAccount] = useState(accounts[0]?.id ?? "");
  const [region, setRegion] = useState(accounts[0]?.bucket_region ?? "us-east-1");
  const [volume, setVolume] = useState("");
  const adding = useMutation({
    mutationFn: () => add({ account_id: account, region: region.trim(), volume_id: volume.trim() }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: watchesKey() });
      onAdded(id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form className="card" aria-labelledby="add-volume" onSubmit={submit}>
      <h2 id="add-volume" style={{ margin: "0.83em 0", fontSize: "1.5em" }}>
        Watch a volume
      </h2>
      <div className={`${classes.fields} small-labels`}>
        <NativeSelect
          label="AWS account"
          value={account}
          data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          error={remarkOn(adding.error, "account_id")}
          onChange={(event) => setAccount(event.currentTarget.value)}
        />
        <TextInput
          label="Region"
          value={region}
          error={remarkOn(adding.error, "region")}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setRegion(event.currentTarget.value)}
        />
        <TextInput
          label="Volume"
          placeholder="vol-0123456789abcdef0"
          value={volume}
          error={remarkOn(adding.error, "volume_id")}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={(event) => setVolume(event.currentTarget.value)}
        />
      </div>
      <p className="dim small">
        AWS charges the account USD 0.01 for 1,000 metrics that are asked for: about $0.50 to $1 a month for a volume
        that is read every five minutes.
      </p>
      <Refusal error={adding.error} fields={["account_id", "region", "volume_id"]} kept="The volume is not watched." />
      <Group gap="xs" mt="sm">
        <Button type="submit" size="compact-sm" loading={adding.isPending} disabled={volume.trim() === ""}>
          Watch it
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={onEnd}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

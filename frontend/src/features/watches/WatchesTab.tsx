import { Button, Checkbox, Group, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accounts as accountsQuery } from "@/api/runs/awsAccounts";
import { isAwaited, type Watch, watchList } from "@/api/runs/watches";
import { useMay } from "@/api/teams/session";
import { duration, moment, usd } from "@/lib/wording";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { List } from "@/ui/list/List";
import { useRows } from "@/ui/list/useRows";
import { metricWords } from "./groups";
import type { WatchesSearch } from "./search";
import classes from "./Watches.module.css";
import { WatchForm } from "./WatchForm";

interface WatchesTabProps {
  search: WatchesSearch;
  onSearch: (search: WatchesSearch) => void;
  onAdded: (id: string) => void;
}

/** List of monitored volumes with their state, and the form to add one. */
export function WatchesTab({ search, onSearch, onAdded }: WatchesTabProps) {
  useDocumentTitle("Monitored volumes · Stowage");
  const mayWrite = useMay("runs.write");
  const list = useRows(watchList(search.ended === "yes"), (page) => page.watches);
  const connected = useQuery(accountsQuery()).data?.accounts.filter(({ state }) => state === "connected");
  const every_s = list.query.data?.pages[0]?.read_every_s ?? 300;
  const hasAny = list.rows !== undefined && list.rows.length > 0;
  const mayAdd = mayWrite && (connected?.length ?? 0) > 0;
  const adding = search.add === "yes" && mayAdd;
  const begin = mayAdd && !adding && (
    <Button size="compact-sm" onClick={() => onSearch({ ...search, add: "yes" })}>
      Monitor a volume
    </Button>
  );
  return (
    <>
      {adding && connected !== undefined && (
        <WatchForm
          accounts={connected}
          onAdded={onAdded}
          onEnd={() => onSearch(search.ended === "yes" ? { ended: "yes" } : {})}
        />
      )}
      <section className="card" aria-labelledby="volumes">
        <div className="spread">
          <h1 id="volumes">Monitored volumes</h1>
          <Group gap="6px 8px">
            <Checkbox
              size="xs"
              label="With those that ended"
              checked={search.ended === "yes"}
              onChange={(event) => onSearch(event.currentTarget.checked ? { ended: "yes" } : {})}
            />
            {hasAny && begin}
          </Group>
        </div>
        {hasAny && (
          <p className="dim small">{`Read from CloudWatch every ${duration(every_s)}, which is a few minutes late itself.`}</p>
        )}
        <List
          {...list}
          kept="The volumes are still monitored."
          label={{ "aria-labelledby": "volumes" }}
          className={`columned entries ${classes.list}`}
          empty={
            <>
              <p>
                Monitor an EBS volume of a connected account to see its throughput, queue and burst balance beside what
                the model expects of it. No volume is monitored yet.
              </p>
              {begin ||
                (connected?.length === 0 && (
                  <ButtonLink to="/settings/aws-accounts">Connect an AWS account</ButtonLink>
                ))}
            </>
          }
          row={(watch) => <Entry key={watch.id} watch={watch} />}
        />
      </section>
    </>
  );
}

const LATEST = ["read_mb_per_s", "write_mb_per_s", "burst_balance", "queue_length"];

function Entry({ watch }: { watch: Watch }) {
  const latest = LATEST.flatMap((name) => watch.latest.filter((one) => one.name === name));
  const facts = [
    watch.volume?.words ?? (isAwaited(watch) ? "being looked for" : "not found"),
    `${watch.account_name}, ${watch.region}`,
    ...(watch.usd_per_month === null ? [] : [`${usd(watch.usd_per_month)} a month for its metrics`]),
    `by ${watch.person}, ${moment(watch.created_at)}`,
  ];
  return (
    <li>
      <div>
        <div className="strong">
          <Link to="/benchmarks/monitored/$watchId" params={{ watchId: watch.id }}>
            {watch.volume_id}
          </Link>
        </div>
        <div className="dim small">{facts.join(" · ")}</div>
        {watch.problem !== null && watch.ended_at === null && <div className="bad small">{watch.problem}</div>}
      </div>
      <Stack gap={2} className="end">
        {latest.map(({ name, title, unit, value }) => (
          <span key={name} className="small">{`${title} ${metricWords(value, unit)}`}</span>
        ))}
        {latest.length === 0 && <span className="dim small">no figure of the last hours</span>}
      </Stack>
      <span className="small">{watch.ended_at === null ? "monitored" : `ended ${moment(watch.ended_at)}`}</span>
    </li>
  );
}

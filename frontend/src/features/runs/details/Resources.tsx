import type { Run } from "@/api/runs/runs";
import { QuoteTable } from "@/features/runs/QuoteTable";
import { RESOURCE_WORDS, resourcesWords, standing } from "@/features/runs/words";
import { moment, usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Table } from "@/ui/table/Table";

/** Resources that the run created in the account, and when their end was observed. */
export function Resources({ run }: { run: Run }) {
  const { resources, state } = run;
  const left = standing(run);
  if (state === "quoted") return null;
  return (
    <section className="card" aria-label="What it made, and its price">
      {resources.length > 0 && (
        <Disclosure
          summary={`What it made: ${resourcesWords(resources)}; ${left.length === 0 ? "all gone" : `${left.length} still there`}`}
        >
          {() => <ResourcesTable resources={resources} />}
        </Disclosure>
      )}
      <Disclosure summary="How the agreed sum came about">{() => <QuoteTable quote={run.quote} />}</Disclosure>
    </section>
  );
}

function ResourcesTable({ resources }: Pick<Run, "resources">) {
  return (
    <Table
      scrolls="What the run made"
      rows={resources}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      columns={[
        {
          head: "What",
          cell: ({ kind, id }) => (
            <>
              {RESOURCE_WORDS[kind][0]} <code>{id}</code>
            </>
          ),
        },
        { head: "Since", cell: ({ since }) => moment(since) },
        { head: "Gone", cell: ({ gone_at }) => (gone_at === null ? "not seen to be gone" : moment(gone_at)) },
        {
          head: "An hour",
          number: true,
          cell: ({ usd_per_hour }) => (usd_per_hour === 0 ? "—" : usd(usd_per_hour)),
          cellProps: ({ usd_per_hour }) => ({ title: `${usd_per_hour} USD/h` }),
        },
      ]}
    />
  );
}

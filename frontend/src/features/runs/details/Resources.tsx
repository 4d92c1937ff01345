import type { Run } from "@/api/runs/runs";
import { QuoteTable } from "@/features/runs/QuoteTable";
import { RESOURCE_WORDS, resourcesWords, standing } from "@/features/runs/words";
import { moment, usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";

/** All that it made in the account, and when each was seen to be gone. */
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
    // A scrolling region must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className="scroller" tabIndex={0} aria-label="What the run made">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Since</th>
            <th scope="col">Gone</th>
            <th scope="col" className="number">
              An hour
            </th>
          </tr>
        </thead>
        <tbody>
          {resources.map(({ kind, id, since, gone_at, usd_per_hour }) => (
            <tr key={`${kind} ${id}`}>
              <td>
                {RESOURCE_WORDS[kind][0]} <code>{id}</code>
              </td>
              <td>{moment(since)}</td>
              <td>{gone_at === null ? "not seen to be gone" : moment(gone_at)}</td>
              <td className="number" title={`${usd_per_hour} USD/h`}>
                {usd_per_hour === 0 ? "—" : usd(usd_per_hour)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

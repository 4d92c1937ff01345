import type { ExplanationAnswer, OverturnAnswer } from "@/api/generated";
import { factorWords } from "@/features/plan/configurations/difference";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
import { Table } from "@/ui/table/Table";
import { ResourceMark } from "@/ui/values/ResourceMark";
import { Value } from "@/ui/values/Value";
import classes from "./Details.module.css";
import { Awaited } from "./Levers";
import type { Explained } from "./useExplanation";

interface WhyItLostProps {
  explained: Explained;
  name: string;
}

/** Explanation of why a configuration wins or loses, phase by phase, and what would make it win. */
export function WhyItLost({ explained, name }: WhyItLostProps) {
  return (
    <Awaited explained={explained} label={`Explaining ${name}`}>
      {(explanation) => (
        <>
          <p className="bare" data-testid="explained">
            {explanation.sentence}
          </p>
          {explanation.against.length > 0 && <AgainstTable explanation={explanation} name={name} />}
          {explanation.price_against !== null && <p className="line">{explanation.price_against.sentence}</p>}
          <Figures title="What would have to be true for it to win" figures={explanation.overturn} testId="overturn" />
          <Figures title="Break-even margins" figures={explanation.margins} testId="margins" />
        </>
      )}
    </Awaited>
  );
}

/** Changes that would each make a configuration win. */
export function Overturns({ figures }: { figures: readonly OverturnAnswer[] }) {
  return <Figures title="What would have to be true for it to win" figures={figures} testId="overturn" />;
}

interface FiguresProps {
  title: string;
  figures: readonly OverturnAnswer[];
  testId: string;
}

/** Figures that would each have to change, in sentences. */
function Figures({ title, figures, testId }: FiguresProps) {
  if (figures.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className="bullets" data-testid={testId}>
        {figures.map(({ quantity, sentence }) => (
          <li key={quantity}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function AgainstTable({ explanation, name }: { explanation: ExplanationAnswer; name: string }) {
  const { against, winner } = explanation;
  const first = winner === null ? "The first" : `${winner.nodes} × ${winner.instance}`;
  return (
    <Table
      className={`plain ${classes.pairs}`}
      caption={`Phases of ${name} and of ${first}`}
      rows={against}
      keyOf={({ phase }) => phase}
      rowProps={({ sentence }) => ({ title: sentence })}
      columns={[
        { head: "Phase", rowHead: true, cell: ({ phase }) => phase },
        {
          head: name,
          number: true,
          cell: ({ time_s, resource }) => <PhaseTime time_s={time_s} bottleneck={resource} />,
        },
        { head: first, value: ({ winner_time_s }) => [winner_time_s, duration, "s"] },
        {
          head: "Factor",
          number: true,
          cell: ({ time_s, winner_time_s }) => factorWords(time_s, winner_time_s),
          note: ({ cost_factor }) => (cost_factor === null ? null : `${factorWords(cost_factor, 1)} the cost`),
        },
      ]}
    />
  );
}

/** Time of a phase, with the resource that limits it. */
export function PhaseTime({ time_s, bottleneck }: { time_s: number; bottleneck: string }) {
  return (
    <>
      <Value text={duration(time_s)} exact={time_s} unit="s" />
      <div className="dim small">
        <ResourceMark kind={resourceKind(bottleneck)} />
        {resourceName(bottleneck)}
      </div>
    </>
  );
}

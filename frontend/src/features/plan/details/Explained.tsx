import type { ExplanationAnswer, OverturnAnswer } from "@/api/generated";
import { factorWords } from "@/features/plan/configurations/difference";
import { resourceKind, resourceName } from "@/lib/resources";
import { duration } from "@/lib/wording";
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
          <p className={classes.sentence} data-testid="explained">
            {explanation.sentence}
          </p>
          {explanation.against.length > 0 && <AgainstTable explanation={explanation} name={name} />}
          {explanation.price_against !== null && <p className={classes.said}>{explanation.price_against.sentence}</p>}
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
      <h3 className={classes.part}>{title}</h3>
      <ul className={classes.saying} data-testid={testId}>
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
    <table className={`plain ${classes.pairs}`}>
      <caption className="spoken">
        Phases of {name} and of {first}
      </caption>
      <thead>
        <tr>
          <th scope="col">Phase</th>
          <th scope="col" className="number">
            {name}
          </th>
          <th scope="col" className="number">
            {first}
          </th>
          <th scope="col" className="number">
            Factor
          </th>
        </tr>
      </thead>
      <tbody>
        {against.map(({ phase, resource, time_s, winner_time_s, cost_factor, sentence }) => (
          <tr key={phase} title={sentence}>
            <th scope="row">{phase}</th>
            <td className="number">
              <Value text={duration(time_s)} exact={time_s} unit="s" />
              <div className="dim small">
                <ResourceMark kind={resourceKind(resource)} />
                {resourceName(resource)}
              </div>
            </td>
            <td className="number">
              <Value text={duration(winner_time_s)} exact={winner_time_s} unit="s" />
            </td>
            <td className="number">
              {factorWords(time_s, winner_time_s)}
              {cost_factor !== null && <div className="dim small">{factorWords(cost_factor, 1)} the cost</div>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

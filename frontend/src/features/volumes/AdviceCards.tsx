import type { AdviceAnswer, VolumeDesignAnswer } from "@/api/generated";
import { percent, usd } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Sourced } from "./Sourced";
import classes from "./VolumesPage.module.css";
import { layoutName, provisionedWords, volumeFigures } from "./words";

/** Cards with advice on existing or typical volumes. */
export function AdviceCards({ answer }: { answer: VolumeDesignAnswer }) {
  const { advice, present } = answer;
  if (advice.length === 0 && present === null) return null;
  return (
    <Card id="advice" title={present === null ? "If you have another type" : "Current volumes"}>
      <p className="dim" style={{ margin: 0 }}>
        {present === null
          ? "Enter the current volumes to get advice about them. This is about the cheapest of each type."
          : present.words}
      </p>
      {present !== null && advice.length === 0 && (
        <p style={{ margin: "6px 0 0" }}>Nothing that these volumes can be changed into does it for less.</p>
      )}
      <ul className={classes.advice}>
        {advice.map((one) => (
          <AdviceCard key={`${one.kind} ${one.before.words}`} one={one} answer={answer} />
        ))}
      </ul>
    </Card>
  );
}

function AdviceCard({ one, answer }: { one: AdviceAnswer; answer: VolumeDesignAnswer }) {
  const { before, after, saving_usd_per_month: saving } = one;
  const rules = answer.figures.filter(({ quantity }) => quantity.startsWith("elastic_volumes."));
  const types = [...new Set([before.volume_type, after.volume_type])];
  const prices = types.flatMap((type) => volumeFigures(answer, type, "price"));
  return (
    <li data-pays={one.pays || undefined}>
      <h3>{one.title}</h3>
      <p>
        {layoutName(before)} → {layoutName(after)}
        {provisionedWords(after) !== "" && `, ${provisionedWords(after)}`}
      </p>
      <p className={classes.amount}>
        <Sourced
          exact={`${saving} USD a month`}
          working={`${one.before_usd_per_month.toFixed(2)} USD − ${one.after_usd_per_month.toFixed(2)} USD`}
          figures={prices}
          label={`the saving of ${one.title}`}
        >
          <span className="strong">{savingWords(one)}</span>
        </Sourced>
        <Sourced
          exact={one.in_place ? "Changed in place" : "Not changed in place"}
          figures={rules}
          label={`how ${one.title} is done`}
        >
          {one.in_place ? "in place" : "by new volumes and a copy"}
        </Sourced>
      </p>
      <ul className="bullets small">
        {one.words.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </li>
  );
}

function savingWords({ saving_usd_per_month: saving, saving_pct, pays }: AdviceAnswer): string {
  if (Math.abs(saving) < 0.005) return pays ? "Costs the same" : "Saves nothing";
  const share = percent(Math.abs(saving_pct) / 100);
  return saving > 0 ? `Saves ${usd(saving)} a month (${share})` : `Costs ${usd(-saving)} a month more (${share})`;
}

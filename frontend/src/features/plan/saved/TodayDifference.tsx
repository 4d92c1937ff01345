import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { catalogs, planToday, versionOf } from "@/api/catalog/catalogs";
import type { PlanAnswer, SavedPlanAnswer } from "@/api/generated";
import { profiles } from "@/api/measurements/profiles";
import { ApiProblem } from "@/api/problem";
import { useMay } from "@/api/teams/session";
import { moneyOf } from "@/features/plan/configurations/money";
import { usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Notice } from "@/ui/feedback/Notice";
import { DifferenceDetails } from "@/ui/values/DifferenceDetails";
import { WhatMeasurementsChanged } from "./MeasuredDifference";
import classes from "./SavedPlanPage.module.css";

interface TodayDifferenceProps {
  saved: SavedPlanAnswer;
  /** Link to the form with the newest catalog. */
  onNewest: ReactNode;
  /** Link to the team's measurements. */
  toMeasurements?: ReactNode;
}

/** Answer with the newest catalog, if the plan uses an older one. */
export function TodayDifference({ saved, onNewest, toMeasurements }: TodayDifferenceProps) {
  const mayRead = useMay("measurements.read");
  const newest = versionOf(useQuery(catalogs).data ?? [], "latest")?.version;
  const isOlder = newest !== undefined && newest !== saved.answer.catalog_version;
  // Newer measurements are queried only if the team has any.
  const measures = (useQuery({ ...profiles(), enabled: mayRead }).data?.profiles.length ?? 0) > 0;
  const query = useQuery({ ...planToday(saved.id), enabled: isOlder || measures });
  const { data } = query;
  const measured =
    data?.measured == null ? null : <WhatMeasurementsChanged reranking={data.measured} link={toMeasurements} />;
  if (!isOlder) return measured === null ? null : <div className={classes.today}>{measured}</div>;
  const refused = query.error instanceof ApiProblem ? query.error : null;
  if (data === undefined && refused === null) return null;
  return (
    <section className={classes.today} aria-label="Against the newest catalog">
      <Notice tone="plain">
        <div className={classes.difference}>
          <p className="dim line">
            Against catalog {newest}:{" "}
            {data === undefined
              ? `it could not be answered. ${refused?.message ?? ""}`
              : `${data.sentence}${costsWords(saved.answer, data.answer)}`}
          </p>
          <div className="no-print">{onNewest}</div>
        </div>
        {data !== undefined && (
          <Disclosure summary="What differs">
            {() => (
              <>
                <p className="dim line">{data.answer.sentence}</p>
                <DifferenceDetails difference={data.difference} />
              </>
            )}
          </Disclosure>
        )}
      </Notice>
      {measured}
    </section>
  );
}

/** Compare the cost of the best configuration then and now: ` The best was $365, today $58.` */
function costsWords(then: PlanAnswer, now: PlanAnswer): string {
  const [was, is] = [then.configurations[0], now.configurations[0]];
  if (was === undefined || is === undefined) return "";
  const { range, each } = moneyOf(then.objective);
  return ` The best was ${usd(range(was).p50)}${each}, today ${usd(range(is).p50)}${each}.`;
}

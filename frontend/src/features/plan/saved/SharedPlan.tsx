import { useMemo, useState } from "react";
import type { SavedPlanAnswer } from "@/api/generated";
import { clusterKey } from "@/features/plan/address/cluster";
import { pinsFrom, type View, withView } from "@/features/plan/address/view";
import { AnswerHead } from "@/features/plan/answer/AnswerHead";
import { Compare } from "@/features/plan/comparison/Compare";
import { storedDurabilities } from "@/features/plan/comparison/useDurabilities";
import { withGiven } from "@/features/plan/configurations/saving";
import { useConfigurations } from "@/features/plan/configurations/useConfigurations";
import { whyThisOne } from "@/features/plan/configurations/why";
import { ChartCard } from "@/features/plan/frontier/ChartCard";
import { NetworkNotices } from "@/features/plan/limits/NetworkNotices";
import { NothingFits } from "@/features/plan/limits/NothingFits";
import { Rejections } from "@/features/plan/limits/Rejections";
import { pinned as ofCatalog } from "@/features/plan/PlanPage";
import { RankedTable } from "@/features/plan/ranking/RankedTable";
import { useRanking } from "@/features/plan/ranking/useRanking";
import { choiceFromDocument, valueAt } from "@/features/plan/workload/choice";
import { Notes } from "./DecidedCard";
import { storedOf, viewOfDecided } from "./decided";
import { Outdated } from "./Outdated";
import { QuestionHead } from "./QuestionHead";

/** Plan behind a share link: the answer and its ranking, read-only. */
export function SharedPlan({ plan, secret }: { plan: SavedPlanAnswer; secret: string }) {
  const { answer, decided } = plan;
  const document = useMemo(() => ofCatalog(answer.workload, answer.catalog_version), [answer]);
  // The view is not in the URL, which contains the secret of the link.
  const [view, setView] = useState<View>({});
  const ranking = useRanking({ of: "link", secret }, view, answer.objective);
  const choice = useMemo(() => choiceFromDocument(answer.workload).choice, [answer]);
  const { today: todays, pays, pins } = viewOfDecided(decided, choice);
  const best = answer.configurations.slice(0, 1).map(clusterKey);
  const keys = [...best, ...pinsFrom(pins), ...(todays === undefined ? [] : [todays])];
  // Guests may not request predictions: only those stored with the plan are shown.
  const named = useConfigurations(answer, document, keys, { stored: storedOf(decided, choice), silent: true });
  const predicted = todays === undefined ? undefined : named.at(-1);
  const today = withGiven(predicted, answer.objective, pays);
  const pinned = named.slice(best.length, best.length + pinsFrom(pins).length);
  return (
    <>
      <QuestionHead question={plan.question} saving={plan.saving} />
      <Outdated plan={plan} />
      <AnswerHead answer={answer} why={whyThisOne(answer, today, pays)} actions={null} onDetails={undefined} />
      <NetworkNotices
        answer={answer}
        unlimited={valueAt(document, "assume.network") === "unlimited"}
        onNetwork={undefined}
      />
      {answer.curves.length > 0 && (
        <ChartCard
          answer={answer}
          document={document}
          curves={answer.curves}
          chosen={named.slice(0, best.length)[0]}
          pins={pinned}
          today={predicted}
          given={pays !== undefined}
          scale={view.scale === "linear" ? "linear" : "log"}
          handles={undefined}
          onScale={(scale) => setView((before) => withView(before, { scale }))}
          onPick={undefined}
        />
      )}
      {answer.configurations.length === 0 ? (
        <NothingFits answer={answer} onChange={undefined} />
      ) : (
        <RankedTable
          answer={answer}
          document={document}
          ranking={ranking}
          chosen={undefined}
          today={today}
          view={view}
          onView={(change) => setView((before) => withView(before, change))}
        />
      )}
      <Compare
        pins={pinned}
        today={today}
        durabilities={storedDurabilities(decided.durabilities, document)}
        limits={answer.limits}
        objective={answer.objective}
      />
      {decided.notes !== "" && <Notes>{decided.notes}</Notes>}
      <Rejections answer={answer} />
    </>
  );
}

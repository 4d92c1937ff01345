import { useMemo, useState } from "react";
import type { SavedPlanAnswer } from "@/api/generated";
import { AnswerHead } from "./AnswerHead";
import { NetworkNotices } from "./NetworkNotices";
import { NothingFits } from "./NothingFits";
import { pinned } from "./PlanPage";
import { RankedTable } from "./RankedTable";
import { Rejections } from "./Rejections";
import { type View, withView } from "./view";

/** A plan as somebody sees it who has a link to it and nothing else: the answer and its ranking, to read. */
export function SharedPlan({ plan: { answer } }: { plan: SavedPlanAnswer }) {
  const document = useMemo(() => pinned(answer.workload, answer.catalogue_version), [answer]);
  // Nothing of it stands in the address: that is a secret, and is not made longer.
  const [view, setView] = useState<View>({});
  return (
    <>
      <AnswerHead answer={answer} actions={null} onDetails={undefined} />
      <NetworkNotices answer={answer} unlimited={networkOf(document) === "unlimited"} onNetwork={undefined} />
      {answer.configurations.length === 0 ? (
        <NothingFits answer={answer} onChange={undefined} />
      ) : (
        <RankedTable
          answer={answer}
          document={document}
          chosen={undefined}
          view={view}
          onView={(change) => setView((before) => withView(before, change))}
        />
      )}
      <Rejections answer={answer} />
    </>
  );
}

function networkOf(document: Record<string, unknown>): unknown {
  const assume = document["assume"];
  return typeof assume === "object" && assume !== null && "network" in assume ? assume.network : undefined;
}

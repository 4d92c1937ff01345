import { useDocumentTitle } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import type { VolumeDesignAnswer } from "@/api/generated";
import { ApiProblem, Unreachable } from "@/api/problem";
import { amountWords, useUnits } from "@/lib/units";
import { useAhead } from "@/lib/useAhead";
import { count, day, threeDigits } from "@/lib/wording";
import { Asking } from "@/ui/Asking";
import { Card } from "@/ui/Card";
import { CopyText } from "@/ui/CopyText";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Loading } from "@/ui/feedback/QueryState";
import { Sentence } from "@/ui/Sentence";
import { AdviceCards } from "./AdviceCards";
import { DaySection } from "./DaySection";
import { DesignTable } from "./DesignTable";
import { LinkNote } from "./LinkNote";
import { type Designed, useDesign } from "./query";
import { needOf, type Question, questionOf, type Remarks, remarksFrom, searchWith, type VolumesSearch } from "./search";
import { VolumeForm } from "./VolumeForm";
import classes from "./VolumesPage.module.css";

interface VolumesPageProps {
  search: VolumesSearch;
  onSearch: (search: VolumesSearch, replace: boolean) => void;
}

/** Volume designer: requirements on the left, the cheapest volumes of each type on the right. */
export function VolumesPage({ search, onSearch }: VolumesPageProps) {
  useDocumentTitle("EBS volumes · Stowage");
  useUnits();
  const [question, set] = useAhead(questionOf(search), (next, replace) =>
    onSearch(searchWith(next, search.type), replace),
  );
  const change = useCallback((changes: Partial<Question>) => set((before) => ({ ...before, ...changes })), [set]);
  const need = useMemo(() => needOf(questionOf(search)), [search]);
  const designed = useDesign(need);
  const { answer } = designed;
  const remarks = remarksFrom(designed.error instanceof ApiProblem ? designed.error.fields : []);
  return (
    <Asking
      title="EBS volumes"
      formLabel="What is needed"
      form={<VolumeForm question={question} remarks={remarks} onChange={change} />}
      working={designed.working}
      notices={<Troubles designed={designed} remarks={remarks} />}
    >
      {answer === undefined ? (
        designed.error === null && <Loading label="Looking for volumes" heights={[110, 340, 260]} />
      ) : (
        <Answer answer={answer} type={search.type} onPick={(type) => onSearch({ ...search, type }, true)} />
      )}
    </Asking>
  );
}

interface AnswerProps {
  answer: VolumeDesignAnswer;
  type: string | undefined;
  onPick: (type: string) => void;
}

function Answer({ answer, type, onPick }: AnswerProps) {
  const { designs, refused } = answer;
  const chosen = designs.find(({ layout }) => layout.volume_type === type) ?? designs[0];
  return (
    <>
      <Head answer={answer} />
      {designs.length > 0 && <DesignTable answer={answer} chosen={chosen?.layout.volume_type} onPick={onPick} />}
      {refused.length > 0 && (
        <Card id="refused" title={designs.length === 0 ? "Why none does it" : "What cannot do it"}>
          <ul className={`bare ruled ${classes.refused}`}>
            {refused.map(({ volume_type, reason, nearest }) => (
              <li key={volume_type}>
                <strong>{volume_type}</strong>: {reason}.{nearest !== null && ` ${nearest} would do.`}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {chosen !== undefined && <DaySection row={chosen} answer={answer} />}
      <AdviceCards answer={answer} />
      <LinkNote answer={answer} />
    </>
  );
}

function Head({ answer }: { answer: VolumeDesignAnswer }) {
  const made = `catalog ${answer.catalog_version} of ${day(answer.catalog_as_of)}, ${answer.region}`;
  return (
    <section className="card" aria-label="Answer">
      <Sentence
        as="h2"
        steady
        facts={[askedWords(answer), `at most ${answer.asked.most_volumes} volumes, all alike`, made]}
      >
        {answer.sentence}
      </Sentence>
      <div style={{ marginTop: 12 }} className="no-print">
        <CopyText
          label="Copy sentence"
          done="The sentence is copied, with its sources."
          text={() => `${answer.sentence}\n(Stowage: ${askedWords(answer)}; ${made}.)`}
        />
      </div>
    </section>
  );
}

function askedWords({ asked }: VolumeDesignAnswer): string {
  const held = `${asked.capacity_gib < 10 ? threeDigits(asked.capacity_gib) : count(asked.capacity_gib)} GiB`;
  if (asked.mb_per_s === 0) return `${held}, no load`;
  const ios = asked.iops === null ? "" : `${count(asked.iops)} IOPS of ${threeDigits(asked.io_kib)} KiB = `;
  return `${held}; ${ios}${amountWords(asked.mb_per_s, "MB/s")}, ${asked.pattern}, ${threeDigits(asked.hours_a_day)} h a day`;
}

/** Error message, and a note on the answer still shown. */
function Troubles({ designed, remarks }: { designed: Designed; remarks: Remarks }) {
  const { error, answer, retry } = designed;
  if (error === null || error === undefined) return null;
  const kept = answer === undefined ? "" : "The answer below belongs to the earlier input.";
  if (!(error instanceof ApiProblem) || error.fields.length === 0) {
    return <ProblemNotice error={error} kept={kept} {...(error instanceof Unreachable ? {} : { onRetry: retry })} />;
  }
  const marked = Object.keys(remarks.fields).length > 0;
  return (
    <Notice tone="warn">
      <span>
        The input is not accepted{marked ? ": see the marked fields" : ""}. {kept}
      </span>
      {remarks.elsewhere.map(({ path, message }) => (
        <p key={`${path} ${message}`} style={{ margin: "4px 0 0" }}>
          {path === "" ? "" : `${path}: `}
          {message}
        </p>
      ))}
    </Notice>
  );
}

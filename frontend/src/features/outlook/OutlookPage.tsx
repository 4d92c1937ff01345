import { Box, Radio, Skeleton, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { OutlookAnswer } from "@/api/generated";
import { type OutlookQuestion, outlook } from "@/api/planning/outlooks";
import { clusterName, documentWithCluster, storageWords } from "@/features/plan/address/cluster";
import { infeasibleWords } from "@/features/plan/configurations/ahead";
import { documentFrom } from "@/features/plan/workload/choice";
import { BlockView } from "@/features/reports/document/Blocks";
import { shown } from "@/lib/plainText";
import { useAhead } from "@/lib/useAhead";
import { Disclosure } from "@/ui/Disclosure";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { fieldsOf } from "@/ui/forms/fields";
import {
  type Ahead,
  aheadSearch,
  GROWTH_WANTED,
  growthIn,
  MONTHS_WANTED,
  monthsIn,
  type OutlookSearch,
  questionIn,
} from "./search";

/** Tables with more rows than this are collapsed. */
const LONG_TABLE = 12;

interface OutlookPageProps {
  search: OutlookSearch;
  onSearch: (search: OutlookSearch, replace: boolean) => void;
  /** The workload in words, one fact per item. */
  workload: readonly string[];
  /** Link to the plan of this workload, with the configuration selected. */
  toPlan: ReactNode;
}

/** Outlook page: cost of a configuration over the coming months, by purchase option. */
export function OutlookPage({ search, onSearch, workload, toPlan }: OutlookPageProps) {
  useDocumentTitle("Cost over time · Stowage");
  const { choice, cluster, ahead: inAddress } = questionIn(search);
  const [ahead, change, asked] = useAhead(inAddress, (next, replace) => {
    const { growth: _growth, months: _months, commitment: _commitment, ...rest } = search;
    onSearch({ ...rest, ...aheadSearch(next) }, replace);
  });
  const [growth, months] = [growthIn(asked.growth), monthsIn(asked.months)];
  const question: OutlookQuestion | null =
    cluster === null || growth === null || months === null
      ? null
      : {
          document: documentWithCluster(documentFrom(choice), cluster),
          growth_pct_per_month: growth,
          months,
          commitment: asked.commitment,
        };
  return (
    <>
      <h1 className="heading">Cost over time</h1>
      {cluster === null ? (
        <Notice tone="plain" title="No configuration is picked.">
          <p className="line">Open a configuration of a plan; under Money it leads here. {toPlan}</p>
        </Notice>
      ) : (
        <div className="asking">
          <aside className="card asking-form" aria-label="What is looked at">
            <Stack gap="md">
              <div>
                <h2 className="wraps">{clusterName(cluster)}</h2>
                <p className="line">{storageWords(cluster.storage)}</p>
                <ul className="bullets dim wraps">
                  {workload.map((words) => (
                    <li key={words}>{words}</li>
                  ))}
                </ul>
                <div className="no-print">{toPlan}</div>
              </div>
              <AheadFields ahead={ahead} onChange={change} />
            </Stack>
          </aside>
          <Looked question={question} />
        </div>
      )}
    </>
  );
}

interface AheadFieldsProps {
  ahead: Ahead;
  onChange: (next: (now: Ahead) => Ahead, pace?: "typed" | "new entry") => void;
}

function AheadFields({ ahead, onChange }: AheadFieldsProps) {
  const { text } = fieldsOf<"growth" | "months">({
    values: ahead,
    errors: {
      growth: growthIn(ahead.growth) === null ? GROWTH_WANTED : undefined,
      months: monthsIn(ahead.months) === null ? MONTHS_WANTED : undefined,
    },
    onChange: (field, value) => onChange((now) => ({ ...now, [field]: value })),
  });
  return (
    <>
      {text("growth", "Growth of the data a month", undefined, { rightSection: "%", inputMode: "decimal" })}
      {text("months", "Months ahead")}
      <Radio.Group
        label="A commitment’s hours that this job leaves"
        value={ahead.commitment}
        onChange={(value) =>
          onChange((now) => ({ ...now, commitment: value === "used" ? "used" : "alone" }), "new entry")
        }
      >
        <Stack gap={6} mt={6}>
          <Radio value="alone" label="are paid for nothing" />
          <Radio value="used" label="others use" />
        </Stack>
      </Radio.Group>
    </>
  );
}

/** The answer; the previous one stays until the next arrives. */
function Looked({ question }: { question: OutlookQuestion | null }) {
  // An invalid field keeps the previous question.
  const [asked, setAsked] = useState(question);
  if (question !== null && JSON.stringify(question) !== JSON.stringify(asked)) setAsked(question);
  return asked === null ? (
    <p className="dim">What is asked cannot be read yet.</p>
  ) : (
    <Answered question={asked} stale={question === null} />
  );
}

function Answered({ question, stale }: { question: OutlookQuestion; stale: boolean }) {
  const query = useQuery(outlook(question));
  const { data, error } = query;
  return (
    <Box miw={0} aria-busy={query.isFetching}>
      <div className="progress" data-active={query.isFetching || undefined} />
      {error !== null && (
        <ProblemNotice
          error={error}
          kept={data === undefined ? "" : "Below is the last answer."}
          onRetry={() => void query.refetch()}
        />
      )}
      {data === undefined && error === null && <Skeleton height={420} />}
      {data?.feasible === false && (
        <Notice tone="warn" title="This configuration cannot do the job.">
          {infeasibleWords(data)}
        </Notice>
      )}
      {data?.feasible === true && (
        <Stack data-stale={stale || query.isPlaceholderData || undefined} className="fades" miw={0}>
          <Outlook answer={data} />
        </Stack>
      )}
    </Box>
  );
}

function Outlook({ answer }: { answer: OutlookAnswer }) {
  return (
    <>
      <p className="headline" data-testid="outlook-sentence">
        {shown(answer.sentence)}
      </p>
      {inOrder(answer).map((block, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs have no name but their place
        <Part key={place} block={block} answer={answer} />
      ))}
      <p className="dim small">
        Prices of catalog {answer.catalog_version}
        {answer.price_terms != null && `, incl. ${answer.price_terms.words} (${answer.price_terms.details})`}; model{" "}
        {answer.model_version}. Prices are held where they are: those of the years ahead are unknown.
      </p>
    </>
  );
}

type Block = OutlookAnswer["blocks"][number];

/** Sort the blocks with charts first, and drop the sentence, which is already shown above. */
function inOrder({ blocks, sentence }: OutlookAnswer): Block[] {
  const others = blocks.filter(
    (block) => block.kind !== "chart" && !(block.kind === "paragraph" && block.text === sentence),
  );
  return [...blocks.filter(({ kind }) => kind === "chart"), ...others];
}

function Part({ block, answer }: { block: Block; answer: OutlookAnswer }) {
  const view = (
    <BlockView block={block} drawings={block.kind === "chart" ? answer.drawings[block.key] : undefined} kind="plan" />
  );
  if (block.kind === "paragraph" || block.kind === "facts") return <section>{view}</section>;
  if (block.kind !== "table" || block.rows.length <= LONG_TABLE) return <section className="card">{view}</section>;
  return <Disclosure summary={shown(block.caption)}>{() => view}</Disclosure>;
}

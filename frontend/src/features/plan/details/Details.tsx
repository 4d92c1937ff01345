import { Button, CloseButton, Group, Stack, Tabs } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { PlanAnswer } from "@/api/generated";
import type { Deployable } from "@/api/planning/deployments";
import { ApiProblem } from "@/api/problem";
import type { WorkloadDocument } from "@/api/queries";
import { Deploy } from "@/features/deploy/Deploy";
import {
  clusterKey,
  clusterName,
  documentWithCluster,
  nodesWords,
  storageWords,
} from "@/features/plan/address/cluster";
import { isTab, TABS, type Tab, type View, type ViewChange } from "@/features/plan/address/view";
import { infeasibleWords } from "@/features/plan/configurations/ahead";
import { differenceWords } from "@/features/plan/configurations/difference";
import { frontierMoney, moneyOf } from "@/features/plan/configurations/money";
import type { Configuration, Named } from "@/features/plan/configurations/useConfigurations";
import { along } from "@/features/plan/frontier/frontier";
import { PinButton } from "@/features/plan/pins/PinButton";
import { asToday } from "@/features/plan/pins/pins";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Loading } from "@/ui/feedback/QueryState";
import { SideDrawer } from "@/ui/SideDrawer";
import { useFocusBack } from "@/ui/useFocusBack";
import classes from "./Details.module.css";
import { CertaintyDetails } from "./DetailsCertainty";
import { MoneyDetails } from "./DetailsMoney";
import { TimeDetails } from "./DetailsTime";
import { OutlookLink } from "./OutlookLink";
import { useExplanation } from "./useExplanation";
import { WhyNot, type WhyNotProps } from "./WhyNot";

interface DetailsPanelProps {
  answer: PlanAnswer;
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  chosen: Named;
  others: WhyNotProps["others"];
  view: View;
  /** True beside the answer, if there is room; false as an overlay. */
  docked: boolean;
  onView: (change: ViewChange, replace: boolean) => void;
  onClose: () => void;
}

/** Details of the selected configuration; Escape closes them. */
export function DetailsPanel(props: DetailsPanelProps) {
  const { chosen, docked, onClose } = props;
  useFocusBack();
  const title = chosen.cluster === null ? "Details" : chosen.name;
  if (docked) {
    return (
      <Docked title={title} onClose={onClose}>
        <Content {...props} />
      </Docked>
    );
  }
  return (
    <SideDrawer title={title} width={480} onClose={onClose}>
      <Content {...props} />
    </SideDrawer>
  );
}

function Docked({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const panel = useRef<HTMLElement>(null);
  useHotkeys([["Escape", onClose]], []);
  useEffect(() => {
    // Focus moves to the heading of a new selection without scrolling the page, unless it is already inside the panel.
    const within = panel.current?.contains(document.activeElement) === true;
    if (title !== "" && !within) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <aside ref={panel} className={`card ${classes.docked}`} aria-label="Details">
      <Group justify="space-between" wrap="nowrap" gap={0}>
        <h2 ref={heading} tabIndex={-1} className={classes.title}>
          {title}
        </h2>
        <CloseButton aria-label="Close details" className="no-print" onClick={onClose} />
      </Group>
      {children}
    </aside>
  );
}

function Content(props: DetailsPanelProps) {
  const { answer, chosen, onView, onClose } = props;
  const [kept, setKept] = useState(chosen);
  if (chosen.configuration !== undefined && chosen !== kept && chosen.configuration !== kept.configuration) {
    setKept(chosen);
  }
  // While the next configuration loads, the previous figures stay, marked as stale: the layout and the focus stay put.
  const stale = chosen.configuration === undefined && chosen.loading;
  const shown = stale ? { ...kept, key: chosen.key, asked: chosen.asked, name: chosen.name } : chosen;
  const { configuration } = shown;
  return (
    <Stack gap="sm">
      <FrontierWalk answer={answer} chosen={chosen} onPick={(row) => onView({ row }, true)} />
      {configuration === undefined ? (
        <Missing chosen={chosen} onClose={onClose} />
      ) : (
        <Stack gap="sm" className="fades" data-stale={stale || undefined} aria-busy={stale}>
          <Known {...props} chosen={shown} configuration={configuration} />
        </Stack>
      )}
    </Stack>
  );
}

const TAB_NAMES: Record<Tab, string> = {
  time: "Time",
  money: "Money",
  certainty: "Sources",
  why: "Why not …?",
  deploy: "Deploy",
};

function Known(props: DetailsPanelProps & { configuration: Configuration }) {
  const { answer, document, chosen, others, view, onView, configuration } = props;
  const { today } = others;
  const tab = isTab(view.tab) ? view.tab : "time";
  const hasLevers = tab === "money" && answer.objective !== "month";
  const explained = useExplanation(document, configuration, hasLevers || tab === "why");
  const isToday = today?.key === chosen.key;
  const ahead = chosen.rank === undefined ? answer.configurations.find(isOfType(configuration)) : undefined;
  const place = chosen.rank === undefined ? "" : `Number ${chosen.rank} of the ranking: `;
  const { objective } = answer;
  const contents: Record<Tab, ReactNode> = {
    time: <TimeDetails configuration={configuration} objective={objective} />,
    money: (
      <>
        <MoneyDetails configuration={configuration} objective={objective} explained={explained} />
        <OutlookLink document={document} cluster={configuration} />
      </>
    ),
    certainty: <CertaintyDetails configuration={configuration} error={chosen.error} onRetry={chosen.retry} />,
    why: (
      <WhyNot
        answer={answer}
        document={document}
        chosen={{ ...chosen, configuration }}
        explained={explained}
        others={others}
        onWhy={(why) => onView({ why }, true)}
      />
    ),
    deploy: <Deploy deployable={deployableOf(document, configuration)} shown={tab === "deploy"} />,
  };
  // Names of the tabs are headings in print, except of empty ones.
  const isPrinted = (one: Tab) => one !== "deploy" && (one !== "why" || others.why !== undefined);
  return (
    <>
      <p className="bare">
        {place}
        {chosen.sentence ?? `${nodesWords(configuration)}, ${configuration.storage_words}.`}
        {isToday && " This runs today."}
        {today?.configuration !== undefined && !isToday && (
          <> Against today: {differenceWords(configuration, today.configuration, moneyOf(answer.objective))}.</>
        )}
      </p>
      <Group gap="xs" className="no-print">
        <PinButton words configuration={chosen.key} name={`${chosen.name}, ${configuration.storage_words}`} />
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => onView({ today: isToday ? undefined : asToday(chosen.key), pays: undefined }, false)}
        >
          {isToday ? "Remove as baseline" : "Set as baseline"}
        </Button>
        {ahead !== undefined && clusterKey(ahead) !== chosen.key && (
          <Button variant="default" size="compact-sm" onClick={() => onView({ row: clusterKey(ahead) }, false)}>
            Cheapest of this type: {clusterName(ahead)}
          </Button>
        )}
      </Group>
      <Tabs
        value={tab}
        onChange={(next) => onView({ tab: next ?? undefined }, true)}
        keepMountedMode="display-none"
        classNames={{ tab: "tab", panel: classes.panel, list: "no-print" }}
      >
        <Tabs.List>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {TAB_NAMES[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map((one) => (
          <Tabs.Panel key={one} value={one}>
            {isPrinted(one) && <h3 className={classes.paperHeading}>{TAB_NAMES[one]}</h3>}
            {contents[one]}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

/** Build the deployable configuration of a row: the question with its cluster and its purchase option. */
function deployableOf(document: WorkloadDocument, configuration: Configuration): Deployable {
  const workload = document["workload"] as { name?: unknown } | undefined;
  const name = typeof workload?.name === "string" && workload.name !== "" ? workload.name : clusterName(configuration);
  return { name, file: documentWithCluster(document, configuration), purchase: configuration.purchase };
}

function isOfType({ instance, storage }: Configuration): (row: Configuration) => boolean {
  return (row) => row.instance === instance && row.storage.kind === storage.kind;
}

interface FrontierWalkProps {
  answer: PlanAnswer;
  chosen: Named;
  onPick: (key: string) => void;
}

/** Buttons to the next frontier points with a noticeable difference. */
function FrontierWalk({ answer, chosen, onPick }: FrontierWalkProps) {
  const { place, faster, cheaper } = along(answer.frontier, chosen, frontierMoney(answer));
  if (answer.frontier.length < 2) return null;
  return (
    <div className={`${classes.walk} no-print`}>
      <span className="dim small">
        {place === null ? "Not on the frontier" : `${place + 1} of ${answer.frontier.length} on the frontier`}
      </span>
      {(
        [
          ["Faster", faster],
          ["Cheaper", cheaper],
        ] as const
      ).map(([word, point]) => (
        <Button
          key={word}
          variant="subtle"
          size="compact-xs"
          // Not `disabled`, which would lose the keyboard focus at the ends.
          data-disabled={point === undefined || undefined}
          aria-disabled={point === undefined}
          aria-label={`${word} on the frontier`}
          title={point === undefined ? undefined : storageWords(point.storage)}
          onClick={() => point !== undefined && onPick(clusterKey(point))}
        >
          {word === "Faster" ? "‹ Faster" : "Cheaper ›"}
        </Button>
      ))}
    </div>
  );
}

/** Reason why there are no figures. */
function Missing({ chosen, onClose }: { chosen: Named; onClose: () => void }) {
  const back = (
    <Button variant="default" size="compact-sm" mt="xs" className="no-print" onClick={onClose}>
      Back to the ranking
    </Button>
  );
  if (chosen.infeasible !== undefined) {
    return (
      <Notice tone="warn" title="This cluster cannot do the job.">
        <p style={{ margin: "2px 0 0" }}>{infeasibleWords(chosen.infeasible)}</p>
        {back}
      </Notice>
    );
  }
  if (chosen.error instanceof ApiProblem && chosen.error.status === 422) {
    return (
      <Notice tone="warn" title="This cluster does not fit the question.">
        {chosen.error.fields.map((field) => (
          <p key={field.path} style={{ margin: "2px 0 0" }}>
            {field.path}: {field.message}
          </p>
        ))}
        {back}
      </Notice>
    );
  }
  if (chosen.error !== null && chosen.error !== undefined) {
    return <ProblemNotice error={chosen.error} kept="The ranking is still there." onRetry={chosen.retry} />;
  }
  if (chosen.loading) return <Loading label="Predicting this cluster" heights={[40, 120, 80]} gap="sm" />;
  return (
    <Notice tone="warn" title="The address names no cluster.">
      {back}
    </Notice>
  );
}

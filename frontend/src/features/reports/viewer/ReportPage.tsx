import { Button, Group, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { DeployableAnswer, Origin, ReportAnswer } from "@/api/generated";
import { fileAddress, reportDifference, report as reportQuery } from "@/api/reports";
import { useMay } from "@/api/teams/session";
import { Plain } from "@/features/reports/document/Plain";
import { ReportDocument } from "@/features/reports/document/ReportDocument";
import { useReportRemoval } from "@/features/reports/useReportRemoval";
import { shown } from "@/lib/plainText";
import { counted, day } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Notice } from "@/ui/feedback/Notice";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { Unread } from "@/ui/feedback/QueryState";
import { ApprovalLine, Deciding, RequestApproval } from "./Approval";
import { Comments } from "./Comments";
import { Files, Making } from "./Downloads";
import classes from "./ReportPage.module.css";
import { Schedules } from "./Schedules";

export interface ReportPageProps {
  id: string;
  back: ReactNode;
  /** Link to the object of the report. */
  toOrigin: (origin: Origin) => ReactNode;
  /** Link to another report. */
  linkTo: (id: string, words: string) => ReactNode;
  /** Link to the comparison of two reports. */
  compare: (older: string, newer: string) => ReactNode;
  /** Link to the composer for a report that replaces this one. */
  newer: (report: ReportAnswer) => ReactNode;
  share: ReactNode;
  deploy: (deployable: DeployableAnswer) => ReactNode;
  onDeleted: () => void;
  /** Content if the report does not exist. */
  missing: ReactNode;
}

/** A published report with its actions. */
export function ReportPage(props: ReportPageProps) {
  const query = useQuery(reportQuery(props.id));
  useDocumentTitle(`${query.data?.report.title ?? "Report"} · Stowage`);
  if (query.data !== undefined) return <Loaded {...props} answer={query.data} />;
  return (
    <Unread
      query={query}
      title="Report"
      className={classes.page}
      kept="The report is kept."
      placeholder={
        <Stack gap="md" className="card" role="status" aria-label="Reading the report">
          <Skeleton height={28} width="80%" />
          <Skeleton height={90} />
          <Skeleton height={360} />
        </Stack>
      }
      missing={props.missing}
    />
  );
}

type LoadedProps = ReportPageProps & { answer: ReportAnswer };

function Loaded({ answer, id, ...props }: LoadedProps) {
  const mayWrite = useMay("reports.write");
  const removing = useReportRemoval({ id, title: answer.report.title });
  return (
    <div className={classes.page}>
      <div className={`spread ${classes.bar} no-print`}>
        <Group gap="xs">
          {props.back}
          {props.toOrigin(answer.report.origin)}
          {answer.comments > 0 && (
            <Button variant="subtle" size="compact-sm" component="a" href="#comments">
              {counted(answer.comments, "comment")}
            </Button>
          )}
        </Group>
        <Group gap="xs">
          <RequestApproval answer={answer} />
          {answer.replaced_by === null && <Schedules id={id} />}
          {props.share}
          {mayWrite && answer.since === null && props.newer(answer)}
          {mayWrite && (
            <Button
              variant="default"
              size="compact-sm"
              loading={removing.isPending}
              onClick={() => removing.mutate(undefined, { onSuccess: props.onDeleted })}
            >
              Delete
            </Button>
          )}
        </Group>
      </div>
      {removing.error !== null && <ProblemNotice error={removing.error} kept="The report is kept." />}
      <Newer answer={answer} linkTo={props.linkTo} compare={props.compare} />
      {answer.since !== null && (
        <Notice tone="warn" title="This report may be out of date.">
          <p className="line">
            <Plain text={answer.since} />
          </p>
          <Group gap="xs" className="no-print">
            {props.toOrigin(answer.report.origin)}
            {mayWrite && props.newer(answer)}
          </Group>
        </Notice>
      )}
      <Making id={id} documents={answer.documents} />
      <Deciding answer={answer} />
      <ReportDocument
        composed={answer}
        level={1}
        approval={<ApprovalLine approval={answer.approval} before={answer.approved_before} />}
        files={<Files addressOf={(format) => fileAddress(id, format)} documents={answer.documents} />}
      />
      <Older answer={answer} linkTo={props.linkTo} compare={props.compare} />
      {answer.deployable.length > 0 && <Deploying deployable={answer.deployable} deploy={props.deploy} />}
      <Comments id={id} />
    </div>
  );
}

type OtherProps = Pick<LoadedProps, "answer" | "linkTo" | "compare">;

/** Notice that a newer report replaces this one, with the differences. */
function Newer({ answer, linkTo, compare }: OtherProps) {
  const { id, replaced_by: newer } = answer;
  const difference = useQuery({ ...reportDifference(id, newer?.id ?? ""), enabled: newer !== null }).data;
  if (newer === null) return null;
  return (
    <Notice tone="warn" title="A newer report is there.">
      <p className="line">
        {linkTo(newer.id, shown(newer.title))}, {day(newer.made_at)}. {difference?.sentence}
      </p>
      <div className="no-print">{compare(id, newer.id)}</div>
    </Notice>
  );
}

/** The report that this one replaces, with the differences. */
function Older({ answer, linkTo, compare }: OtherProps) {
  const { id, replaces: older } = answer;
  const difference = useQuery({ ...reportDifference(older?.id ?? "", id), enabled: older !== null }).data;
  if (older === null) return null;
  return (
    <section className={`card ${classes.after}`} aria-label="The report before it">
      <p className="line">
        In the place of {linkTo(older.id, shown(older.title))}, {day(older.made_at)}. {difference?.sentence}
      </p>
      <div className="no-print">{compare(older.id, id)}</div>
    </section>
  );
}

/** Deployment files of a configuration, collapsed for readers. */
function Deploying({ deployable, deploy }: Pick<LoadedProps, "deploy"> & { deployable: readonly DeployableAnswer[] }) {
  const [place, setPlace] = useState(0);
  const chosen = deployable[place];
  return (
    <section className={`card no-print ${classes.after}`} aria-label="Deploy">
      <Disclosure summary="Deploy it: CloudFormation, Terraform, EMR, a script">
        {() => (
          <Stack gap="md" mt="xs">
            {deployable.length > 1 && (
              <NativeSelect
                label="Which option"
                maw={420}
                value={String(place)}
                data={deployable.map(({ name }, index) => ({ value: String(index), label: shown(name) }))}
                onChange={(event) => setPlace(Number(event.currentTarget.value))}
              />
            )}
            {chosen !== undefined && deploy(chosen)}
          </Stack>
        )}
      </Disclosure>
    </section>
  );
}

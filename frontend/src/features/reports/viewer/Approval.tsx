import { Button, Group, NativeSelect, Popover, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApprovalAnswer, decideApproval, type ReportAnswer, requestApproval } from "@/api/generated";
import { report as reportQuery, reportsKey } from "@/api/reports";
import { forTeam } from "@/api/requests";
import { members } from "@/api/teams/members";
import { useMay, useSession } from "@/api/teams/session";
import { Plain } from "@/features/reports/document/Plain";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { submits } from "@/ui/forms/submits";

/** Maximum number of characters of a comment that the API stores. */
const LONGEST = 10_000;
const APPROVERS: readonly string[] = ["owner", "planner"];
const GLYPHS = { requested: "○", approved: "✓", refused: "✕", withdrawn: "○" } as const;

interface ApprovalLineProps {
  approval: ApprovalAnswer | null;
  /** Approval of the version that this report replaces, in words. */
  before?: string | null;
}

/** Approval of a report in a line, with name and date. */
export function ApprovalLine({ approval, before = null }: ApprovalLineProps) {
  return (
    <div data-testid="approval">
      <p className="line">
        {approval === null ? (
          <span className="dim">Not approved.</span>
        ) : (
          <strong>
            <span aria-hidden="true">{GLYPHS[approval.state]}</span> <Plain text={approval.sentence} />
          </strong>
        )}
        {approval === null && before !== null && (
          <span className="dim">
            {" "}
            The version before: <Plain text={before} />
          </span>
        )}
      </p>
      {approval !== null && approval.comment !== "" && (
        <p className="line dim" style={{ whiteSpace: "pre-wrap" }}>
          <Plain text={approval.comment} />
        </p>
      )}
    </div>
  );
}

/** Form of the person who is asked to approve the report; empty for all others. */
export function Deciding({ answer }: { answer: ReportAnswer }) {
  const me = useSession()?.person?.person_id;
  const may = useMay("reports.approve");
  const [comment, setComment] = useState("");
  const stored = useStored(answer.id);
  const deciding = useMutation({
    mutationFn: (state: "approved" | "refused") =>
      decideApproval({ path: { report_id: answer.id }, body: { state, comment: comment.trim() }, ...forTeam() }),
    onSuccess: stored,
  });
  const { approval } = answer;
  if (!may || approval?.state !== "requested" || approval.approver_id !== me || answer.replaced_by !== null)
    return null;
  return (
    <section className="card no-print" aria-label="Your approval">
      <h2 className="title">
        <Plain text={approval.requested_by} /> asks for your approval
      </h2>
      <Textarea
        label="Comment (required to refuse)"
        rows={2}
        resize="vertical"
        maxLength={LONGEST}
        dir="auto"
        value={comment}
        error={remarkOn(deciding.error, "comment")}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Refusal error={deciding.error} fields={["comment"]} kept="The report is as it was." />
      <Group gap="xs" mt="xs">
        <Button size="compact-sm" loading={deciding.isPending} onClick={() => deciding.mutate("approved")}>
          Approve
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={comment.trim() === "" || deciding.isPending}
          onClick={() => deciding.mutate("refused")}
        >
          Refuse
        </Button>
      </Group>
    </section>
  );
}

/** Button that requests the approval of a report from a member; for people who may publish. */
export function RequestApproval({ answer }: { answer: ReportAnswer }) {
  const mayWrite = useMay("reports.write");
  const mayName = useMay("team.read");
  const [open, setOpen] = useState(false);
  if (!mayWrite || !mayName || answer.approval?.state === "approved" || answer.replaced_by !== null) return null;
  return (
    <Popover opened={open} onChange={setOpen} trapFocus returnFocus withinPortal width={320} position="bottom-end">
      <Popover.Target>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(!open)}>
          {answer.approval?.state === "requested" ? "Ask another person" : "Request approval"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Request approval">
        <Requesting answer={answer} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Requesting({ answer, onDone }: { answer: ReportAnswer; onDone: () => void }) {
  const query = useQuery(members);
  const asked = answer.approval?.state === "requested" ? answer.approval.approver_id : null;
  const found = query.data?.members.filter(
    ({ person_id, role, is_me }) => APPROVERS.includes(role) && !is_me && person_id !== asked,
  );
  const [chosen, setChosen] = useState<string>();
  const stored = useStored(answer.id);
  const person = chosen ?? found?.[0]?.person_id;
  const asking = useMutation({
    mutationFn: (personId: string) =>
      requestApproval({ path: { report_id: answer.id }, body: { person_id: personId }, ...forTeam() }),
    onSuccess: (requested) => {
      stored(requested);
      onDone();
    },
  });
  if (found === undefined) return <QueryState query={query} kept="The report is kept." />;
  if (person === undefined) {
    return <p style={{ margin: 0 }}>No other member may approve. An owner can make a member a planner.</p>;
  }
  return (
    <form className={form.fields} onSubmit={submits(() => asking.mutate(person), !asking.isPending)}>
      <NativeSelect
        label="Who approves"
        description="A planner or an owner; notified by mail"
        value={person}
        data={found.map(({ person_id, name, role }) => ({ value: person_id, label: `${name}, ${role}` }))}
        error={remarkOn(asking.error, "person_id")}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Refusal error={asking.error} fields={["person_id"]} kept="The report is as it was." />
      <Button type="submit" size="compact-sm" loading={asking.isPending}>
        Send request
      </Button>
    </form>
  );
}

function useStored(id: string) {
  const client = useQueryClient();
  const list = [...reportsKey(), "list"];
  const { queryKey } = reportQuery(id);
  return (answer: ReportAnswer) => {
    client.setQueryData(queryKey, answer);
    void client.invalidateQueries({ queryKey: list });
  };
}

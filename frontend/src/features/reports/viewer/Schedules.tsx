import { Button, Checkbox, NativeSelect, Popover } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endSchedule, type ScheduleAnswer, scheduleReport, stopScheduleForMe } from "@/api/generated";
import { schedulesOf } from "@/api/reports";
import { forTeam } from "@/api/requests";
import { members } from "@/api/teams/members";
import { useMay, useSession } from "@/api/teams/session";
import { Plain } from "@/features/reports/document/Plain";
import { day } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { submits } from "@/ui/forms/submits";
import { RowAction } from "@/ui/list/RowAction";

type Every = ScheduleAnswer["every"];
type Content = ScheduleAnswer["content"];

/** Maximum number of recipients that the API accepts. */
const MOST = 20;

/** Schedules by which a report is mailed to members; the newest version is sent. */
export function Schedules({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const mayComment = useMay("comments.write");
  const mail = useSession()?.mail === true;
  if (!mayComment || !mail) return null;
  return (
    <Popover opened={open} onChange={setOpen} trapFocus returnFocus withinPortal width={340} position="bottom-end">
      <Popover.Target>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(!open)}>
          Scheduled sending
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Scheduled sending">
        <Planned id={id} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Planned({ id }: { id: string }) {
  const mayWrite = useMay("reports.write");
  const query = useQuery(schedulesOf(id));
  const found = query.data?.schedules;
  return (
    <div className={form.fields}>
      <p style={{ margin: 0 }}>Members get the newest version by mail, with its date and approval.</p>
      <QueryState query={query} kept="The schedules are kept." />
      {found?.length === 0 && <p className="dim line">Not scheduled.</p>}
      {found !== undefined && found.length > 0 && (
        <ul className="bare ruled" aria-label="Schedules">
          {found.map((schedule) => (
            <One key={schedule.id} reportId={id} schedule={schedule} />
          ))}
        </ul>
      )}
      {mayWrite && <Adding id={id} />}
    </div>
  );
}

function One({ reportId, schedule }: { reportId: string; schedule: ScheduleAnswer }) {
  const mayWrite = useMay("reports.write");
  const me = useSession()?.person?.person_id;
  const client = useQueryClient();
  const { queryKey } = schedulesOf(reportId);
  const path = { report_id: reportId, schedule_id: schedule.id };
  const change = {
    onSuccess: (found: { schedules: ScheduleAnswer[] }) => client.setQueryData(queryKey, found),
  };
  const ending = useMutation({ mutationFn: () => endSchedule({ path, ...forTeam() }), ...change });
  const stopping = useMutation({ mutationFn: () => stopScheduleForMe({ path, ...forTeam() }), ...change });
  const { every, content, recipients, next_at, sent_at } = schedule;
  const words = `Every ${every}, ${content === "pdf" ? "PDF and link" : "link"}`;
  const mine = recipients.some(({ person_id }) => person_id === me);
  return (
    <li>
      <div>
        {words}, to <Plain text={recipients.map(({ name }) => name).join(", ")} />
      </div>
      <div className="dim small">
        next {day(next_at)}
        {sent_at !== null && ` · last sent ${day(sent_at)}`}
      </div>
      <Refusal error={ending.error ?? stopping.error} kept="The schedule is as it was." />
      {mine && (
        <RowAction label={`Stop for me: ${words}`} change={stopping}>
          Stop for me
        </RowAction>
      )}
      {mayWrite && (
        <RowAction label={`End the schedule: ${words}`} change={ending}>
          End
        </RowAction>
      )}
    </li>
  );
}

function Adding({ id }: { id: string }) {
  const query = useQuery(members);
  const client = useQueryClient();
  const { queryKey } = schedulesOf(id);
  const [every, setEvery] = useState<Every>("week");
  const [content, setContent] = useState<Content>("link");
  const [people, setPeople] = useState<string[]>([]);
  const adding = useMutation({
    mutationFn: () =>
      scheduleReport({ path: { report_id: id }, body: { every, content, recipients: people }, ...forTeam() }),
    onSuccess: (found) => {
      setPeople([]);
      client.setQueryData(queryKey, found);
    },
  });
  const listed = query.data?.members.filter(({ email }) => email !== null) ?? [];
  return (
    <form
      className={form.fields}
      onSubmit={submits(() => adding.mutate(), people.length > 0 && people.length <= MOST && !adding.isPending)}
    >
      <NativeSelect
        label="How often"
        value={every}
        data={[
          { value: "week", label: "Every week" },
          { value: "month", label: "Every month" },
        ]}
        onChange={(event) => setEvery(event.currentTarget.value as Every)}
      />
      <NativeSelect
        label="What is sent"
        value={content}
        data={[
          { value: "link", label: "Link to the report" },
          { value: "pdf", label: "PDF and link" },
        ]}
        onChange={(event) => setContent(event.currentTarget.value as Content)}
      />
      <Checkbox.Group label={`Recipients (at most ${MOST})`} value={people} onChange={setPeople}>
        {listed.map(({ person_id, name }) => (
          <Checkbox key={person_id} size="xs" mt={8} value={person_id} label={name} />
        ))}
      </Checkbox.Group>
      <Refusal error={adding.error} kept="Nothing is scheduled." />
      <Button type="submit" size="compact-sm" disabled={people.length === 0} loading={adding.isPending}>
        Schedule
      </Button>
    </form>
  );
}

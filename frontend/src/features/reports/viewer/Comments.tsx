import { Button, Group, Textarea } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { addComment, type CommentAnswer, removeComment } from "@/api/generated";
import { comments, report } from "@/api/reports";
import { forTeam } from "@/api/requests";
import { useMay } from "@/api/teams/session";
import { Plain } from "@/features/reports/document/Plain";
import { counted, moment } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { Confirm } from "@/ui/forms/Confirm";
import { submits } from "@/ui/forms/submits";
import { ShowMore } from "@/ui/list/List";
import classes from "./Comments.module.css";
import page from "./ReportPage.module.css";

const LONGEST = 10_000;
/** Number of remaining characters from which it is shown. */
const NEARLY = 9_000;

/** Comments of the team about a report; on screen only, never shared. */
export function Comments({ id }: { id: string }) {
  const heading = useId();
  const query = useInfiniteQuery(comments(id));
  const found = query.data?.pages.flatMap((page) => page.comments);
  const maySay = useMay("comments.write");
  if (found?.length === 0 && !maySay) return null;
  return (
    <section id="comments" className={`card no-print ${page.after}`} aria-labelledby={heading}>
      <h2 id={heading} className="title">
        Comments
      </h2>
      <p className="dim small">The team sees them; they are in no file and behind no link.</p>
      <QueryState query={query} kept="What was said is kept." />
      {found !== undefined && found.length > 0 && (
        <ol className={`bare ruled ${classes.list}`} aria-label={counted(found.length, "comment")}>
          {found.map((comment) => (
            <One key={comment.id} reportId={id} comment={comment} />
          ))}
        </ol>
      )}
      <ShowMore query={query}>Show later ones</ShowMore>
      {maySay && <Saying id={id} />}
    </section>
  );
}

function useRefresh(id: string) {
  const client = useQueryClient();
  const [list, one] = [comments(id).queryKey, report(id).queryKey];
  return async () => {
    await client.invalidateQueries({ queryKey: list });
    void client.invalidateQueries({ queryKey: one });
  };
}

function One({ reportId, comment }: { reportId: string; comment: CommentAnswer }) {
  const refresh = useRefresh(reportId);
  const removing = useMutation({
    mutationFn: () => removeComment({ path: { report_id: reportId, comment_id: comment.id }, ...forTeam() }),
    onSuccess: refresh,
  });
  const { person, own, text, created_at, removable } = comment;
  return (
    <li>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap={8} className="wraps">
        <span>
          <strong>
            <Plain text={person} />
          </strong>
          {own && " (you)"} <span className="dim small">{moment(created_at)}</span>
        </span>
        {removable && (
          <Confirm
            words="Remove"
            variant="subtle"
            size="compact-xs"
            label={`Remove the comment of ${person}, ${moment(created_at)}`}
            go="Remove it"
            onGo={() => removing.mutateAsync()}
          >
            The comment is gone for good.
          </Confirm>
        )}
      </Group>
      <p className={classes.text}>
        <Plain text={text} />
      </p>
      <Refusal error={removing.error} kept="The comment is kept." />
    </li>
  );
}

function Saying({ id }: { id: string }) {
  const refresh = useRefresh(id);
  const [text, setText] = useState("");
  const saying = useMutation({
    mutationFn: () => addComment({ path: { report_id: id }, body: { text: text.trim() }, ...forTeam() }),
    onSuccess: async () => {
      setText("");
      await refresh();
    },
  });
  return (
    <form onSubmit={submits(() => saying.mutate(), text.trim() !== "" && !saying.isPending)}>
      <Textarea
        label="Your comment"
        resize="vertical"
        rows={3}
        maxLength={LONGEST}
        dir="auto"
        value={text}
        error={remarkOn(saying.error, "text")}
        mb={8}
        {...(text.length > NEARLY ? { description: `${counted(LONGEST - text.length, "character")} left` } : {})}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
      />
      <Refusal error={saying.error} fields={["text"]} kept="What you wrote is still there." />
      <Button
        type="submit"
        variant="default"
        size="compact-sm"
        mt={8}
        loading={saying.isPending}
        disabled={text.trim() === ""}
      >
        Add the comment
      </Button>
    </form>
  );
}

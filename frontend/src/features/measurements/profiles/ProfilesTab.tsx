import { Group as Line } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import type { ProfileRow } from "@/api/generated";
import { type Published, profiles as profilesQuery } from "@/api/measurements/profiles";
import classes from "@/features/measurements/Measurements.module.css";
import { differenceWords, measuredRange, measuredWords } from "@/lib/measured";
import { useAheadText } from "@/lib/useAhead";
import { BELOW, useMedia } from "@/lib/useMedia";
import { count, day } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { linkToProfile } from "@/ui/links/objects";
import { SearchBox } from "@/ui/list/List";
import { Pager, pageStart } from "@/ui/list/Pager";
import { Term } from "@/ui/Term";
import { Table } from "@/ui/table/Table";
import { Provenance } from "@/ui/values/Provenance";
import { NOTABLE_PCT, type ProfileGroup, profileGroups, profileTitle, usedSentence } from "./sentences";

interface ProfilesTabProps {
  search: string;
  onSearch: (search: string) => void;
  /** Action of the empty list. */
  start: ReactNode;
}

/** Measured and published figures of each target, the largest difference first. */
export function ProfilesTab({ search, onSearch, start }: ProfilesTabProps) {
  const query = useQuery(profilesQuery());
  const narrow = useMedia(BELOW.desktop);
  const [row, setRow] = useState(0);
  const [text, setText] = useAheadText(search, onSearch);
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const all = query.data?.profiles ?? [];
  const shown = byDifference(all).filter(({ target_words, what, metric }) => {
    const told = `${target_words} ${what} ${profileTitle({ metric, what })} ${metric}`.toLowerCase();
    return words.every((word) => told.includes(word));
  });
  const size = narrow ? PAGE_ROWS.narrow : PAGE_ROWS.wide;
  const first = pageStart(row, size, shown.length);
  const groups = profileGroups(inGroups(shown).slice(first, first + size));
  return (
    <>
      {all.length > 0 && <Used sentence={usedSentence(all)} />}
      <QueryState
        query={query}
        kept="What was measured is kept."
        stale={all.length === 0 ? "What was measured is kept." : "What is below is the last that was read."}
        loading="Reading what was measured"
        heights={[180]}
      />
      {query.data !== undefined && all.length === 0 && (
        <div className="empty">
          <p>
            Plans rest on published figures until you measure your own: then each figure stands beside the published
            one, and plans use yours.
          </p>
          {start}
        </div>
      )}
      {all.length > 0 && (
        <SearchBox
          size="xs"
          className="words"
          aria-label="Search the figures"
          placeholder="Instance type, region, quantity"
          value={text}
          onText={setText}
        />
      )}
      {all.length > 0 && shown.length === 0 && <p>No figure holds all of “{text.trim()}”.</p>}
      {groups.map((group) => (
        <Group key={group.title} group={group} narrow={narrow} />
      ))}
      <Pager rows="figures" first={first} size={size} total={shown.length} onFirst={setRow} />
    </>
  );
}

/** Sentence of the list, in which “figures” is explained. */
function Used({ sentence }: { sentence: string }) {
  const [before, word, after] = sentence.split(/(figures?)/);
  return (
    <p className="headline">
      {before}
      <Term of="profile">{word}</Term>
      {after}
    </p>
  );
}

/** Results on a page, wide and narrow. */
const PAGE_ROWS = { wide: 50, narrow: 25 };

/** Order results by their groups, so that a page cuts at most one of them. */
function inGroups(profiles: readonly ProfileRow[]): ProfileRow[] {
  return profileGroups(profiles).flatMap((group) => group.profiles);
}

function Group({ group: { title, used, profiles }, narrow }: { group: ProfileGroup; narrow: boolean }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="title">
        {title}
      </h2>
      {narrow ? (
        <Cards profiles={profiles} labelledBy={id} withTarget={!used} />
      ) : (
        <Rows profiles={profiles} labelledBy={id} withTarget={!used} />
      )}
    </section>
  );
}

interface RowsProps {
  profiles: readonly ProfileRow[];
  labelledBy: string;
  /** False if the heading of the group is the target. */
  withTarget: boolean;
}

/** Profiles that plans use come first, then the larger difference. */
function byDifference(profiles: readonly ProfileRow[]): ProfileRow[] {
  return profiles.toSorted(
    (a, b) => Number(b.feeds) - Number(a.feeds) || Math.abs(b.difference_pct ?? 0) - Math.abs(a.difference_pct ?? 0),
  );
}

function Rows({ profiles, labelledBy, withTarget }: RowsProps) {
  return (
    <Table
      className={`plain ${classes.table}`}
      data-rows
      aria-labelledby={labelledBy}
      rows={profiles}
      keyOf={({ key }) => key}
      columns={[
        ...(withTarget
          ? [{ head: "Target", className: classes.rowHead, cell: (profile: ProfileRow) => profile.target_words }]
          : []),
        {
          head: "Quantity",
          rowHead: true,
          className: classes.rowHead,
          cell: (profile) => linkToProfile(profile.key, profileTitle(profile)),
          cellProps: ({ what }) => ({ title: what }),
        },
        {
          head: "Yours",
          number: true,
          cell: (profile) => <Own profile={profile} />,
          note: ({ count: measurements, metric, low, high, unit }) =>
            measurements > 1 ? measuredRange(metric, low, high, unit) : null,
        },
        { head: "Published", number: true, cell: (profile) => <PublishedFigure profile={profile} /> },
        { head: "Yours against it", cell: (profile) => <Difference profile={profile} /> },
        { head: "From", number: true, cell: (profile) => count(profile.count), note: ({ newest }) => day(newest) },
      ]}
    />
  );
}

function Cards({ profiles, labelledBy, withTarget }: RowsProps) {
  return (
    <ul className="picking-cards" aria-labelledby={labelledBy}>
      {profiles.map((profile) => (
        <li key={profile.key}>
          <div className="strong">{linkToProfile(profile.key, profileTitle(profile))}</div>
          {withTarget && <div className="dim small">{profile.target_words}</div>}
          <Line align="stretch" gap="2px 20px">
            <span>
              Yours <Own profile={profile} />
            </span>
            {profile.published !== null && (
              <span>
                Published <PublishedFigure profile={profile} />
              </span>
            )}
          </Line>
          <Difference profile={profile} />
        </li>
      ))}
    </ul>
  );
}

function Own({ profile }: { profile: ProfileRow }) {
  const { metric, mean, low, high, unit, what, count: measurements, oldest, newest } = profile;
  return (
    <Provenance
      text={measuredWords(metric, mean, unit)}
      exact={`${mean} ${unit}`}
      kind="measured"
      label={`${what} of ${profile.target_words}`}
    >
      <p>
        Your team: {count(measurements)} {measurements === 1 ? "measurement" : "measurements"}, {day(oldest)}
        {day(oldest) === day(newest) ? "" : ` to ${day(newest)}`}. The mean lies between {low} and {high} {unit} with a
        chance of 95%.
      </p>
    </Provenance>
  );
}

/** Published figure with its source; a dash if there is none. */
export function PublishedFigure({ profile }: { profile: Pick<ProfileRow, "metric" | "what" | "published"> }) {
  const { metric, what, published } = profile;
  if (published === null) {
    return (
      <span className="dim" title="Nothing is published of it">
        —
      </span>
    );
  }
  return (
    <Provenance
      text={measuredWords(metric, published.value, published.unit)}
      exact={`${published.value} ${published.unit}`}
      kind={published.kind}
      label={`the published ${what}`}
    >
      <SourceText published={published} />
    </Provenance>
  );
}

function SourceText({ published: { source, as_of } }: { published: Published }) {
  return (
    <p>
      {as_of === null ? "" : `${day(as_of)}. `}
      {source}
    </p>
  );
}

/** Difference at which the bar is full [%]. */
const WHOLE_BAR_PCT = 50;

/** Difference from the published figure, as a bar from the middle and a number. */
function Difference({ profile: { difference_pct } }: { profile: ProfileRow }) {
  if (difference_pct === null) return null;
  const share = Math.min(1, Math.abs(difference_pct) / WHOLE_BAR_PCT) / 2;
  const notable = Math.abs(difference_pct) >= NOTABLE_PCT;
  return (
    <span className={classes.difference} data-notable={notable || undefined} title={`${difference_pct}%`}>
      <svg aria-hidden="true" width="96" height="10" className={classes.differenceBar}>
        <rect className={classes.track} width="96" height="10" rx="2" />
        <rect
          className={difference_pct < 0 ? classes.below : classes.above}
          x={difference_pct < 0 ? 48 - 96 * share : 48}
          width={96 * share}
          height="10"
        />
        <line className={classes.middle} x1="48" x2="48" y1="0" y2="10" />
      </svg>
      {differenceWords(difference_pct)}
    </span>
  );
}

import { Button, type ButtonProps, TextInput, type TextInputProps } from "@mantine/core";
import type { ReactNode } from "react";
import { useAheadText } from "@/lib/useAhead";
import { count } from "@/lib/wording";
import { LONGEST_SEARCH, type WordsSearch, wordsSearchFrom } from "@/lib/wordsSearch";
import { QueryState } from "@/ui/feedback/QueryState";
import classes from "./List.module.css";

/** State of a query whose pages are the rows of a list. */
export interface PagesQuery {
  data: unknown;
  error: unknown;
  isPending: boolean;
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => Promise<unknown>;
  fetchNextPage: () => Promise<unknown>;
}

interface ListProps<Row> {
  query: PagesQuery;
  /** Rows of the pages read so far, or of the list before if this one could not be read; undefined before the first. */
  rows: readonly Row[] | undefined;
  /** Shown with an error if no rows are shown: `What was saved is kept.` */
  kept: string;
  /** Content of a list without rows and without a filter. */
  empty: ReactNode;
  filter?: Filter;
  row: (row: Row) => ReactNode;
  /** Name of the list, or the id of its heading. */
  label: { "aria-label": string } | { "aria-labelledby": string };
  /** Grid of a row, and the list's own spacing. */
  className?: string;
  ordered?: boolean;
}

/** Search or filter of a list. */
export interface Filter {
  active: boolean;
  /** Which rows there are none of: `No plan holds all of “sort”.` */
  none: string;
  /** Label of the button that removes the filter. */
  all: string;
  onAll: () => void;
  /** Number of rows in words, announced after a search. */
  found?: (rows: number) => string;
}

const STALE = "The list below is the last one read.";

/** List whose rows are read page by page, with its error, loading and empty states. */
export function List<Row>({
  query,
  rows,
  kept,
  empty,
  row,
  label,
  className = "",
  filter,
  ordered = false,
}: ListProps<Row>) {
  const Rows = ordered ? "ol" : "ul";
  const filtered = filter?.active === true;
  const unread = query.data === undefined;
  const none = rows === undefined || rows.length === 0;
  const announced = filtered && rows !== undefined && !unread && !query.isPlaceholderData;
  return (
    <>
      <QueryState
        query={query}
        kept={none ? kept : STALE}
        stale={STALE}
        loading="Loading the list"
        heights={[44, 44, 44]}
        gap="xs"
      />
      {none && !unread && (
        <div className="empty">
          {filtered ? (
            <>
              <p>{filter.none}</p>
              <Button variant="default" onClick={filter.onAll}>
                {filter.all}
              </Button>
            </>
          ) : (
            empty
          )}
        </div>
      )}
      {!none && (
        <Rows
          className={`bare ruled ${classes.list} ${className}`}
          {...label}
          data-rows
          data-stale={unread || query.isPlaceholderData || undefined}
        >
          {rows.map(row)}
        </Rows>
      )}
      <ShowMore query={query} mt="sm">
        Show older ones
      </ShowMore>
      <span className="spoken" role="status">
        {announced ? filter.found?.(rows.length) : ""}
      </span>
    </>
  );
}

interface ShowMoreProps extends ButtonProps {
  query: Pick<PagesQuery, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  children: string;
}

/** Button that reads the next page of a list, if there is one. */
export function ShowMore({ query, ...props }: ShowMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
      {...props}
    />
  );
}

interface SearchBoxProps extends TextInputProps {
  onText: (text: string) => void;
}

/** Search field of a list: its rows contain all entered words. */
export function SearchBox({ onText, ...props }: SearchBoxProps) {
  return (
    <TextInput
      type="search"
      maxLength={LONGEST_SEARCH}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onText(event.currentTarget.value)}
      {...props}
    />
  );
}

/** Return the search words in the URL, and the properties of their `SearchBox` and of the filter of the `List`. */
export function useListSearch({ search = "" }: WordsSearch, onSearch: (search: WordsSearch) => void) {
  const [text, setText] = useAheadText(search, (next) => onSearch(wordsSearchFrom({ search: next })));
  const asked = search.trim();
  return {
    asked,
    field: { value: text, onText: setText, className: classes.search },
    filter: (row: string, all: string): Filter => ({
      active: asked !== "",
      none: `No ${row} holds all of “${asked}”.`,
      all,
      onAll: () => setText(""),
      found: (rows) => `${count(rows)} found`,
    }),
  };
}

/** Heading of a list, with its search field or actions at the right. */
export function ListHead({ id, title, children }: { id: string; title: string; children?: ReactNode }) {
  return (
    <div className="spread" style={{ marginBottom: 8 }}>
      <h1 id={id}>{title}</h1>
      {children}
    </div>
  );
}

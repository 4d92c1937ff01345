import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { NotFound } from "@/ui/links/NotFound";
import { Unread, type UnreadProps } from "./QueryState";

interface ObjectPageProps<Data> extends Omit<UnreadProps, "query" | "missing" | "loading"> {
  query: UnreadProps["query"] & { data: Data | undefined };
  /** Name of the object in the title of the document. */
  nameOf: (data: Data) => string;
  /** Kind of the object: `measurement`. */
  kind: string;
  children: (data: Data) => ReactNode;
}

/** Page of one object: its state until it is read, then its content, also if a later request for it is refused. */
export function ObjectPage<Data>({ query, nameOf, kind, children, ...state }: ObjectPageProps<Data>) {
  const { data } = query;
  useDocumentTitle(`${data === undefined ? state.title : nameOf(data)} · Stowage`);
  if (data !== undefined) return children(data);
  return (
    <Unread
      {...state}
      query={query}
      loading={`Reading the ${kind}`}
      missing={<NotFound what={`There is no such ${kind}, or it belongs to another team.`} />}
    />
  );
}

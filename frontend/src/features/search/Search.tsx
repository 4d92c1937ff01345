import { Modal, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from "react";
import { hits as hitsQuery } from "@/api/teams/audit";
import { counted } from "@/lib/wording";
import { LONGEST_SEARCH } from "@/lib/wordsSearch";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { useFocusBack } from "@/ui/useFocusBack";
import { type Entry, grouped, moved, type PageEntry, pagesFor } from "./entries";
import classes from "./Search.module.css";

interface SearchProps {
  open: boolean;
  onClose: () => void;
  /** Pages that the user may open. */
  pages: readonly PageEntry[];
  onGo: (entry: Entry) => void;
}

/** Delay after the last keystroke before a search is sent [ms]. */
const REST_MS = 150;

/** Finds any page, plan, sweep, report, type, volume and member by name, on every page. */
export function Search({ open, onClose, pages, onGo }: SearchProps) {
  return (
    <Modal.Root
      opened={open}
      onClose={onClose}
      padding={0}
      size={560}
      yOffset="10vh"
      transitionProps={{ duration: 0 }}
      // The content restores the focus, also of the first opening, when this is loaded.
      returnFocus={false}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        {open && <Finder onClose={onClose} pages={pages} onGo={onGo} />}
      </Modal.Content>
    </Modal.Root>
  );
}

function Finder({ onClose, pages, onGo }: Omit<SearchProps, "open">) {
  const id = useId();
  useFocusBack();
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), REST_MS);
  const query = useQuery(hitsQuery(asked));
  const found = text.trim() === "" || asked === "" ? undefined : query.data?.hits;
  const groups = useMemo(() => grouped([...pagesFor(pages, text), ...(found ?? [])]), [pages, text, found]);
  const all = groups.flatMap((group) => group.entries);
  const [wanted, setWanted] = useState(0);
  const at = Math.min(wanted, all.length - 1);
  const keyOf = (index: number) => `${id}-${index}`;
  useEffect(() => {
    if (at >= 0) document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, id]);
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    onGo(entry);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setWanted(moved(at, event.key, all.length));
    }
    if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      go(all[at]);
    }
  };
  const waiting = text.trim() !== "" && (asked !== text.trim() || query.isFetching);
  return (
    <>
      <div className="progress" data-active={waiting || undefined} />
      <div className={classes.field}>
        <TextInput
          type="search"
          size="md"
          variant="unstyled"
          aria-label="Search"
          placeholder="A plan, a report, a type, a volume, a page"
          data-autofocus
          role="combobox"
          aria-expanded={all.length > 0}
          aria-controls={`${id}-hits`}
          aria-autocomplete="list"
          aria-activedescendant={at < 0 ? undefined : keyOf(at)}
          autoComplete="off"
          spellCheck={false}
          maxLength={LONGEST_SEARCH}
          value={text}
          px="xs"
          onChange={(event) => {
            setText(event.currentTarget.value);
            setWanted(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-hits`} className={classes.hits} role="listbox" aria-label="Found">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of a listbox is no field set
          <div key={group.kind} role="group" aria-label={group.title}>
            <div className={`dim small strong ${classes.group}`} aria-hidden="true">
              {group.title}
            </div>
            {group.entries.map((entry) => {
              const index = all.indexOf(entry);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which says what is active
                <div
                  key={`${entry.kind} ${entry.id}`}
                  id={keyOf(index)}
                  className={classes.hit}
                  role="option"
                  aria-selected={index === at}
                  onMouseMove={() => setWanted(index)}
                  onClick={() => go(entry)}
                >
                  <span>{entry.name}</span>
                  <span className={`dim small ${classes.note}`}>{entry.note}</span>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {all.length === 0 && !waiting && query.error === null && (
        <p className={`dim ${classes.said}`}>Nothing of yours is called “{text.trim()}”.</p>
      )}
      {query.error !== null && text.trim() !== "" && (
        <ProblemNotice error={query.error} kept="Pages are found all the same." />
      )}
      <span className="spoken" role="status">
        {waiting ? "" : counted(all.length, "result")}
      </span>
    </>
  );
}

import { Button, CloseButton } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import classes from "./Undo.module.css";

/** Action that can be undone. */
export interface Undoable {
  /** Description of the action: `“Nightly sort” is deleted.` */
  words: string;
  undo: () => Promise<unknown>;
}

interface Offered extends Undoable {
  id: number;
}

const Offer = createContext<(undoable: Undoable) => void>(() => undefined);

/**
 * Return a function that offers to undo an action. Offers stay visible on all pages until used, dismissed or expired.
 */
export function useUndo(): (undoable: Undoable) => void {
  return useContext(Offer);
}

const STANDS_MS = 10_000;
/** Maximum number of visible offers. */
const MOST = 3;

/** Provide and render the undo offers. */
export function UndoProvider({ children }: { children: ReactNode }) {
  const [offers, setOffers] = useState<readonly Offered[]>([]);
  const next = useRef(0);
  const offer = useCallback((undoable: Undoable) => {
    next.current += 1;
    const offered = { ...undoable, id: next.current };
    setOffers((before) => [...before, offered].slice(-MOST));
  }, []);
  const close = useCallback((id: number) => setOffers((before) => before.filter((each) => each.id !== id)), []);
  return (
    <Offer.Provider value={offer}>
      {children}
      <section className={`${classes.notices} no-print`} aria-label="What can be undone" hidden={offers.length === 0}>
        {offers.map((offered) => (
          <UndoNotice key={offered.id} offered={offered} onClose={close} />
        ))}
      </section>
    </Offer.Provider>
  );
}

function UndoNotice({ offered, onClose }: { offered: Offered; onClose: (id: number) => void }) {
  const { id, words, undo } = offered;
  const [held, setHeld] = useState(false);
  const [state, setState] = useState<"offered" | "undoing" | "failed">("offered");
  const button = useRef<HTMLButtonElement>(null);
  const back = useRef<Element | null>(null);
  useEffect(() => {
    // Deleting may have removed the focused element: continue here for keyboard users.
    back.current = document.activeElement;
    if (back.current === null || back.current === document.body) button.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    // No expiry while hovered, focused or pending.
    if (held || state !== "offered") return;
    const timer = setTimeout(() => onClose(id), STANDS_MS);
    return () => clearTimeout(timer);
  }, [held, state, id, onClose]);
  const close = () => {
    onClose(id);
    if (button.current?.parentElement?.contains(document.activeElement)) document.getElementById("content")?.focus();
  };
  const take = async () => {
    setState("undoing");
    try {
      await undo();
      close();
    } catch {
      setState("failed");
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from wherever the focus is within
    <div
      className={classes.notice}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={(event) => setHeld(event.target.matches(":focus-visible"))}
      onBlur={() => setHeld(false)}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <span className={classes.words} role="status">
        {state === "failed" ? `${words} It could not be brought back now.` : words}
      </span>
      <Button
        ref={button}
        variant="default"
        size="compact-sm"
        loading={state === "undoing"}
        onClick={() => void take()}
      >
        {state === "failed" ? "Try again" : "Undo"}
      </Button>
      <CloseButton aria-label="Dismiss" onClick={close} />
    </div>
  );
}

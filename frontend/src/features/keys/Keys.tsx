import { UnstyledButton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { lazy, Suspense, useEffect, useState } from "react";
import classes from "./Keys.module.css";
import { stepRow, takesCharacters } from "./rows";

const KeyList = lazy(() => import("./KeyList").then((module) => ({ default: module.KeyList })));

/** Keys of every page: `?` lists them, j and k move through rows. A button does the same as `?`. */
export function Keys() {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  // Keys without a modifier can be switched off (WCAG 2.1.4); the browser remembers it.
  const [single, setSingle] = useLocalStorage({ key: "stowage.single-keys", defaultValue: true });
  const show = () => {
    setWanted(true);
    setOpen(true);
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTaken(event) || (!single && !event.key.startsWith("Arrow"))) return;
      if (event.key === "?" && !takesCharacters(event.target)) {
        setWanted(true);
        setOpen(true);
      } else if (event.shiftKey || !stepRow(event.key, event.target)) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [single]);
  return (
    <>
      <UnstyledButton className={classes.button} aria-label="Keyboard shortcuts" onClick={show}>
        ?
      </UnstyledButton>
      {wanted && (
        <Suspense fallback={null}>
          <KeyList open={open} onClose={() => setOpen(false)} single={single} onSingle={setSingle} />
        </Suspense>
      )}
    </>
  );
}

/** Check if a key belongs to something else: a shortcut of the browser, an input method, an open dialog. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}

// Moving through the rows of a list or ranking by keyboard.

/** Rows of lists, rankings and their cards on narrow screens. */
const ROWS = "[data-rows] > li, table.picking > tbody > tr, .picking-cards > li";
/** What opens a row: the first link or button in it. */
const OPENS = "a[href], button:not([disabled])";
/** Elements with keys of their own. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], [role="menu"], [role="grid"], [role="dialog"], [role="slider"]';

/** Check if an element, or one around it, takes typed characters or has keys of its own. */
export function hasOwnKeys(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(OWN_KEYS) !== null;
}

/** Return the displayed elements that open rows, in order. */
function openers(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(ROWS)].flatMap((row) => {
    const opener = row.checkVisibility?.() === false ? null : row.querySelector<HTMLElement>(OPENS);
    return opener === null ? [] : [opener];
  });
}

/**
 * Move the focus to the next or previous row; Enter then opens it. Arrow keys move it only from a row, since they
 * otherwise scroll the page. Returns false if nothing was moved.
 */
export function stepRow(key: string, target: EventTarget | null): boolean {
  const step = key === "j" || key === "ArrowDown" ? 1 : key === "k" || key === "ArrowUp" ? -1 : 0;
  if (step === 0 || hasOwnKeys(target)) return false;
  const all = openers();
  const row = target instanceof Element ? target.closest(ROWS) : null;
  const at = row === null ? -1 : all.findIndex((opener) => row.contains(opener));
  if (at === -1 && key.startsWith("Arrow")) return false;
  // From anywhere else, j goes to the first row and k to the last.
  const next = at === -1 ? all.at(step === 1 ? 0 : -1) : all[at + step];
  if (next === undefined) return false;
  next.focus();
  next.closest(ROWS)?.scrollIntoView?.({ block: "nearest" });
  return true;
}

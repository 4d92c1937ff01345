// Moving through the rows of a list or ranking by keyboard.

/** Rows of lists, rankings, plain tables with links, and their cards on narrow screens. */
const ROWS = "[data-rows] > li, table:is(.picking, [data-rows]) > tbody > tr, .picking-cards > li";
/** A table with a cursor of its own, which has the keys of its rows. */
const GRID = 'table[role="grid"]';
/** What opens a row: the first link or button in it. */
const OPENS = "a[href], button:not([disabled])";
/** Elements that take typed characters. */
const TYPED =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="combobox"], [role="listbox"], [role="menu"], [role="dialog"]';
/** Elements with keys of their own. */
const OWN_KEYS = `${TYPED}, [role="grid"], [role="slider"]`;

/** Rows that a key moves by. */
const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Check if an element, or one around it, takes typed characters. */
export function takesCharacters(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPED) !== null;
}

/** Check if an element, or one around it, takes typed characters or has keys of its own. */
function hasOwnKeys(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(OWN_KEYS) !== null;
}

/** Return the displayed elements that open rows, in order. */
function openers(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(ROWS)].flatMap((row) => {
    const opener = row.checkVisibility?.() === false ? null : row.querySelector<HTMLElement>(OPENS);
    return opener === null ? [] : [opener];
  });
}

function enterGrid(): boolean {
  const grid = document.querySelector<HTMLElement>(GRID);
  grid?.focus();
  return grid !== null;
}

/**
 * Move the focus to the next or previous row; Enter then opens it. Arrow keys move it only from a row, since they
 * otherwise scroll the page. A page whose only rows are those of a table with a cursor gives the focus to that. Returns
 * false if nothing was moved.
 */
export function stepRow(key: string, target: EventTarget | null): boolean {
  const step = STEPS[key];
  if (step === undefined || hasOwnKeys(target)) return false;
  const all = openers();
  if (all.length === 0) return !key.startsWith("Arrow") && enterGrid();
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

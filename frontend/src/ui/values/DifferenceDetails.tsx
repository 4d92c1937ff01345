import type { PriceChange } from "@/api/catalog/catalogs";
import type { CatalogDifference } from "@/api/generated";
import { asShown, quantityTitle, quantityUnit, withUnit } from "@/lib/quantities";
import { useUnits } from "@/lib/units";
import { counted, threeDigits } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Scroller } from "@/ui/table/Scroller";
import { type Column, Table } from "@/ui/table/Table";
import { Value } from "./Value";

const MOST_ROWS = 100;

/** Render the differences between two versions of the catalog. */
export function DifferenceDetails({ difference }: { difference: CatalogDifference }) {
  const { new: added, gone, priced, unpriced, cheaper, dearer, volumes, hardware, then, now } = difference;
  const moved = new Set([...withoutAny(volumes, "then"), ...withoutAny(volumes, "now")]);
  const known = volumes.filter(({ name }) => !moved.has(name));
  return (
    <div>
      <Names title="new" names={added} />
      <Names title="no longer there" names={gone} />
      <Names title="with a price that had none" names={priced} />
      <Names title="without a price that had one" names={unpriced} />
      <Prices title="cheaper" changes={cheaper} then={then} now={now} />
      <Prices title="dearer" changes={dearer} then={then} now={now} />
      <Names title="new" names={withoutAny(volumes, "then")} noun="volume type" />
      <Names title="no longer there" names={withoutAny(volumes, "now")} noun="volume type" />
      <Figures title="figures of volumes" changes={known} then={then} now={now} />
      <Figures title="figures of the hardware" changes={hardware} then={then} now={now} />
    </div>
  );
}

type FigureChange = CatalogDifference["volumes"][number];

/** Quantity that every volume type has; null if the type does not exist in a version. */
const ALWAYS_KNOWN = "largest_gib";

function withoutAny(changes: readonly FigureChange[], side: "then" | "now"): string[] {
  return changes.flatMap((change) => (change.quantity === ALWAYS_KNOWN && change[side] === null ? [change.name] : []));
}

function Names({ title, names, noun = "type" }: { title: string; names: readonly string[]; noun?: string }) {
  if (names.length === 0) return null;
  return (
    <Disclosure summary={`${counted(names.length, noun)} ${title}`}>
      {() => <p style={{ margin: "4px 0" }}>{names.join(", ")}</p>}
    </Disclosure>
  );
}

interface ChangesProps<Change> {
  title: string;
  changes: readonly Change[];
  then: string;
  now: string;
}

function Prices({ title, changes, then, now }: ChangesProps<PriceChange>) {
  if (changes.length === 0) return null;
  return (
    <Disclosure summary={`${counted(changes.length, "type")} ${title}`}>
      {() => (
        <ChangeTable
          title={title}
          then={then}
          now={now}
          changes={changes}
          differenceOf={(c) => percentWords(c.change_pct)}
        />
      )}
    </Disclosure>
  );
}

function Figures({ title, changes, then, now }: ChangesProps<FigureChange>) {
  if (changes.length === 0) return null;
  return (
    <Disclosure summary={`${counted(changes.length, "change")} in ${title}`}>
      {() => <ChangeTable title={title} then={then} now={now} changes={changes} />}
    </Disclosure>
  );
}

interface ChangeTableProps<Change> extends ChangesProps<Change> {
  differenceOf?: (change: Change) => string;
}

function ChangeTable<Change extends FigureChange>({
  title,
  changes,
  then,
  now,
  differenceOf,
}: ChangeTableProps<Change>) {
  const side = (head: string, name: "then" | "now"): Column<Change> => ({
    head,
    name,
    number: true,
    cell: ({ quantity, [name]: value }) => (value === null ? "—" : <Changed quantity={quantity} value={value} />),
  });
  const named: Column<Change> = {
    head: "Name",
    cell: ({ name, quantity }) => (
      <>
        {name} <span className="dim small">{quantityTitle(quantity)}</span>
      </>
    ),
  };
  const columns = [named, side(then, "then"), side(now, "now")];
  if (differenceOf !== undefined) columns.push({ head: "Change", number: true, cell: differenceOf });
  return (
    <Scroller aria-label={title}>
      <Table
        rows={changes.slice(0, MOST_ROWS)}
        keyOf={({ name, quantity }) => `${name} ${quantity}`}
        columns={columns}
      />
      {changes.length > MOST_ROWS && <p className="dim">And {counted(changes.length - MOST_ROWS, "more", "more")}.</p>}
    </Scroller>
  );
}

function Changed({ quantity, value }: { quantity: string; value: number }) {
  useUnits();
  const stated = asShown(quantity, value, quantityUnit(quantity));
  return <Value text={withUnit(stated.value, stated.unit)} exact={stated.value} unit={stated.unit} />;
}

function percentWords(change_pct: number): string {
  return `${change_pct > 0 ? "+" : "−"}${threeDigits(Math.abs(change_pct))}%`;
}

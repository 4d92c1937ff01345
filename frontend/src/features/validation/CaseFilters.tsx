import { Checkbox } from "@mantine/core";
import { useAheadText } from "@/lib/useAhead";
import { fieldsOf, type Options } from "@/ui/forms/fields";
import { SearchBox } from "@/ui/list/List";
import classes from "./CasesTable.module.css";
import { BAND_PCT } from "./cases";
import { GROUPS, KINDS, type ValidationChange, type ValidationSearch } from "./search";

interface CaseFiltersProps {
  search: ValidationSearch;
  onChange: (change: ValidationChange) => void;
  /** True to include the sort order, for layouts without column headers. */
  withOrder: boolean;
}

const ORDERS: Options = [
  ["", "As published"],
  ["worst", "Largest error first"],
  ["best", "Smallest error first"],
];

/** Filters of the cases. */
export function CaseFilters({ search, onChange, withOrder }: CaseFiltersProps) {
  const [text, setText] = useAheadText(search.search ?? "", (next) => onChange({ search: next }));
  const { kind = "", group = "", sort = "" } = search;
  const { select } = fieldsOf({
    values: { kind, group, sort },
    errors: {},
    onChange: (field, value) => onChange({ [field]: value }),
    size: "xs",
  });
  return (
    <div className="filters no-print">
      {select("kind", "Kind", [["", "Every kind"], ...KINDS.map((kind) => [kind, kind] as const)])}
      {select("group", "Group", [["", "Every group"], ...GROUPS.map((group) => [group, group] as const)])}
      {withOrder && select("sort", "Order", ORDERS)}
      <SearchBox
        label="Words"
        size="xs"
        className="words"
        placeholder="Quantity, experiment, source, reason"
        value={text}
        onText={setText}
      />
      <Checkbox
        className={classes.misses}
        label={`Misses over ${BAND_PCT}%`}
        checked={search.misses === "yes"}
        onChange={(event) => onChange({ misses: event.currentTarget.checked ? "yes" : undefined })}
      />
    </div>
  );
}

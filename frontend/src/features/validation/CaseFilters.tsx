import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useAheadText } from "@/lib/useAhead";
import classes from "./CasesTable.module.css";
import { BAND_PCT } from "./cases";
import { GROUPS, KINDS, LONGEST_SEARCH, type ValidationChange, type ValidationSearch } from "./search";

interface CaseFiltersProps {
  search: ValidationSearch;
  onChange: (change: ValidationChange) => void;
  /** True to include the sort order, for layouts without column headers. */
  withOrder: boolean;
}

/** Filters of the cases. */
export function CaseFilters({ search, onChange, withOrder }: CaseFiltersProps) {
  const [text, setText] = useAheadText(search.search ?? "", (next) => onChange({ search: next }));
  return (
    <div className={`${classes.filters} no-print`}>
      <NativeSelect
        label="Kind"
        size="xs"
        value={search.kind ?? ""}
        data={[{ value: "", label: "Every kind" }, ...KINDS]}
        onChange={(event) => onChange({ kind: event.currentTarget.value })}
      />
      <NativeSelect
        label="Group"
        size="xs"
        value={search.group ?? ""}
        data={[{ value: "", label: "Every group" }, ...GROUPS]}
        onChange={(event) => onChange({ group: event.currentTarget.value })}
      />
      {withOrder && (
        <NativeSelect
          label="Order"
          size="xs"
          value={search.sort ?? ""}
          data={[
            { value: "", label: "As published" },
            { value: "worst", label: "Largest error first" },
            { value: "best", label: "Smallest error first" },
          ]}
          onChange={(event) => onChange({ sort: event.currentTarget.value })}
        />
      )}
      <TextInput
        type="search"
        label="Words"
        size="xs"
        className={classes.words}
        placeholder="Quantity, experiment, source, reason"
        value={text}
        maxLength={LONGEST_SEARCH}
        autoComplete="off"
        onChange={(event) => setText(event.currentTarget.value)}
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

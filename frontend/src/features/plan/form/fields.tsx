import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { Choice, Remarks } from "@/features/plan/workload/choice";
import type { Field } from "@/features/plan/workload/fields";
import type { Change } from "@/features/plan/workload/useChoice";
import { DragSlider } from "./DragSlider";
import type { Sliding } from "./sliders";

export type Options = readonly (readonly [value: string, label: string])[];

/** Common props of all questions of the form. */
export interface Asking {
  choice: Choice;
  remarks: Remarks;
  onChange: Change;
}

interface Fields {
  text: (field: Field, label: string, placeholder?: string, numbers?: "numeric" | "decimal") => ReactNode;
  select: (field: Field, label: string, options: Options, description?: string) => ReactNode;
  check: (field: Field, label: string) => ReactNode;
  slider: (sliding: Sliding) => ReactNode;
}

/** Build the fields of a form: each shows its answer, and the API's remarks on it. */
export function fieldsOf({ choice, remarks, onChange }: Asking): Fields {
  return {
    text: (field, label, placeholder, numbers) => (
      <TextInput
        key={field}
        label={label}
        value={choice[field]}
        error={remarks.fields[field]}
        placeholder={placeholder}
        onChange={(event) => onChange({ [field]: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
        {...(numbers === undefined ? {} : { inputMode: numbers })}
      />
    ),
    select: (field, label, options, description) => (
      <NativeSelect
        key={field}
        label={label}
        description={description}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={choice[field]}
        error={remarks.fields[field]}
        data={offered(options, choice[field])}
        onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      />
    ),
    check: (field, label) => (
      <Checkbox
        key={field}
        label={label}
        checked={choice[field] === "yes"}
        error={remarks.fields[field]}
        onChange={(event) => onChange({ [field]: event.currentTarget.checked ? "yes" : "no" })}
      />
    ),
    slider: ({ field, read, ...sliding }) => (
      <DragSlider
        key={`${field} slider`}
        {...sliding}
        value={read(choice[field])}
        asked={choice[field]}
        onChange={({ text, first }) => onChange({ [field]: text }, first ? "new entry" : "drag")}
      />
    ),
  };
}

/** Return the options of a select; a different value from the URL stays visible. */
export function offered(options: Options, chosen: string): { value: string; label: string }[] {
  const offers = options.map(([value, label]) => ({ value, label }));
  return offers.some((offer) => offer.value === chosen) ? offers : [...offers, { value: chosen, label: chosen }];
}

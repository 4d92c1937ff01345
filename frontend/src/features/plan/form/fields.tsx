import type { ReactNode } from "react";
import type { Choice, Remarks } from "@/features/plan/workload/choice";
import type { Field } from "@/features/plan/workload/fields";
import type { Change } from "@/features/plan/workload/useChoice";
import { fieldsOf as formFields, type Options } from "@/ui/forms/fields";
import { DragSlider } from "./DragSlider";
import type { Sliding } from "./sliders";

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

/** Build the fields of the form: each shows its answer, and the API's remarks on it. */
export function fieldsOf({ choice, remarks, onChange }: Asking): Fields {
  const { text, select, check } = formFields<Field>({
    values: choice,
    errors: remarks.fields,
    onChange: (field, value) => onChange({ [field]: value }),
  });
  return {
    text: (field, label, placeholder, inputMode) =>
      text(field, label, placeholder, inputMode === undefined ? {} : { inputMode }),
    select: (field, label, options, description) => select(field, label, options, { description }),
    check,
    slider: ({ field, read, ...sliding }) => (
      <DragSlider
        key={`${field} slider`}
        {...sliding}
        value={read(choice[field])}
        asked={choice[field]}
        onChange={({ text: dragged, first }) => onChange({ [field]: dragged }, first ? "new entry" : "drag")}
      />
    ),
  };
}

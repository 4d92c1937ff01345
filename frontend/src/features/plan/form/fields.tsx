import type { ReactNode } from "react";
import type { DragChange } from "@/charts/drag/useDrag";
import { type LimitField, useMove, WhileDragged } from "@/features/plan/dragging/dragging";
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
  const ofValues = (values: Choice) =>
    formFields<Field>({
      values,
      errors: remarks.fields,
      onChange: (field, value) => onChange({ [field]: value }),
    });
  const { select, check } = ofValues(choice);
  return {
    text: (field, label, placeholder, inputMode) => {
      const of = (text: string) =>
        ofValues({ ...choice, [field]: text }).text(
          field,
          label,
          placeholder,
          inputMode === undefined ? {} : { inputMode },
        );
      if (!isLimit(field)) return of(choice[field]);
      return (
        <WhileDragged key={field} field={field} text={choice[field]}>
          {of}
        </WhileDragged>
      );
    },
    select: (field, label, options, description) => select(field, label, options, { description }),
    check,
    slider: (sliding) => {
      const { field } = sliding;
      const given: SliderProps = {
        sliding,
        text: choice[field],
        onChange: ({ text: dragged, first }) => onChange({ [field]: dragged }, first ? "new entry" : "drag"),
      };
      const key = `${field} slider`;
      return isLimit(field) ? <LimitSlider key={key} {...given} field={field} /> : <Slider key={key} {...given} />;
    },
  };
}

function isLimit(field: Field): field is LimitField {
  return field === "deadline" || field === "budget";
}

interface SliderProps {
  sliding: Sliding;
  /** Answer of the question. */
  text: string;
  onChange: (change: DragChange) => void;
  onMove?: (value: number | null) => boolean;
}

function Slider({ sliding: { read, field: _field, ...sliding }, text, ...changes }: SliderProps) {
  return <DragSlider {...sliding} value={read(text)} asked={text} {...changes} />;
}

/** Slider of a limit, whose effect on the ranking is drawn at once. */
function LimitSlider({ field, ...slider }: SliderProps & { field: LimitField }) {
  return <Slider {...slider} onMove={useMove(field)} />;
}

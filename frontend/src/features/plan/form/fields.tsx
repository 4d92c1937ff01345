import type { TextInputProps } from "@mantine/core";
import type { ReactNode } from "react";
import type { DragChange } from "@/charts/drag/useDrag";
import { type LimitField, useDraggedText, useMove } from "@/features/plan/dragging/dragging";
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
    text: (field, label, placeholder, inputMode) => {
      const of = (props: TextInputProps = {}) =>
        text(field, label, placeholder, { ...(inputMode && { inputMode }), ...props });
      if (!isLimit(field)) return of();
      return (
        <LimitText key={field} field={field} text={choice[field]}>
          {of}
        </LimitText>
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

interface LimitTextProps {
  field: LimitField;
  text: string;
  children: (props: TextInputProps) => ReactNode;
}

/** Text field of a limit, which follows its slider and its handle in the chart. */
function LimitText({ field, text, children }: LimitTextProps) {
  return children({ ref: useDraggedText(field, text) });
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

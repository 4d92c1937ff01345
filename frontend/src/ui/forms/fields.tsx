import {
  Autocomplete,
  type AutocompleteProps,
  Checkbox,
  type CheckboxProps,
  NativeSelect,
  type NativeSelectProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import type { ReactNode } from "react";

type DataAttributes = { [name: `data-${string}`]: string | boolean | undefined };

type PartOrder = ("label" | "input" | "description" | "error")[];

/** Messages below the input, so that fields of a row align. */
export const DESCRIPTION_FIRST: PartOrder = ["label", "input", "description", "error"];
export const ERROR_FIRST: PartOrder = ["label", "input", "error", "description"];

/** Values of a select with their labels. */
export type Options = readonly (readonly [value: string, label: string])[];

interface FieldsProps<Field extends string> {
  values: Readonly<Record<Field, string>>;
  /** Messages about fields. */
  errors: Readonly<Partial<Record<Field, ReactNode>>>;
  /** Called with the new text; `typed` is false for a selection. */
  onChange: (field: Field, text: string, typed: boolean) => void;
  size?: "xs";
  /** Order of label, input and messages (default: Mantine's; below the input for a select). */
  inputWrapperOrder?: PartOrder;
}

interface Fields<Field extends string> {
  text: (field: Field, label: string, placeholder?: string, props?: TextInputProps & DataAttributes) => ReactNode;
  /** Text field that offers names. */
  name: (field: Field, label: string, data: readonly string[], props?: AutocompleteProps) => ReactNode;
  select: (field: Field, label: string, options: Options, props?: NativeSelectProps) => ReactNode;
  /** Checkbox whose values are yes and no. */
  check: (field: Field, label: string, props?: CheckboxProps) => ReactNode;
}

/** Build the fields of a form: each shows its value, and the message about it. */
export function fieldsOf<Field extends string>({
  values,
  errors,
  onChange,
  size,
  inputWrapperOrder,
}: FieldsProps<Field>): Fields<Field> {
  const common = { ...(size === undefined ? {} : { size }) };
  const order = inputWrapperOrder === undefined ? {} : { inputWrapperOrder };
  const of = (field: Field) => ({ ...common, ...order, value: values[field], error: errors[field] });
  const written = { autoComplete: "off", spellCheck: false } as const;
  return {
    text: (field, label, placeholder, props) => (
      <TextInput
        key={field}
        {...of(field)}
        {...written}
        label={label}
        placeholder={placeholder}
        onChange={(event) => onChange(field, event.currentTarget.value, true)}
        {...props}
      />
    ),
    name: (field, label, data, props) => (
      <Autocomplete
        key={field}
        {...of(field)}
        {...written}
        label={label}
        data={[...data]}
        onChange={(value) => onChange(field, value, true)}
        {...props}
      />
    ),
    select: (field, label, options, props) => (
      <NativeSelect
        key={field}
        inputWrapperOrder={DESCRIPTION_FIRST}
        {...of(field)}
        label={label}
        data={offered(options, values[field])}
        onChange={(event) => onChange(field, event.currentTarget.value, false)}
        {...props}
      />
    ),
    check: (field, label, props) => (
      <Checkbox
        key={field}
        {...common}
        label={label}
        checked={values[field] === "yes"}
        error={errors[field]}
        onChange={(event) => onChange(field, event.currentTarget.checked ? "yes" : "no", false)}
        {...props}
      />
    ),
  };
}

/** Return the options of a select; a different value from the URL stays visible. */
export function offered(options: Options, chosen: string): { value: string; label: string }[] {
  const offers = options.map(([value, label]) => ({ value, label }));
  return offers.some((offer) => offer.value === chosen) ? offers : [...offers, { value: chosen, label: chosen }];
}

interface ValueProps {
  /** As people read it: three significant digits and the unit. */
  text: string;
  exact: number;
  unit: string;
}

/** A number; hovering shows all its digits. */
export function Value({ text, exact, unit }: ValueProps) {
  return <span title={`${exact} ${unit}`}>{text}</span>;
}

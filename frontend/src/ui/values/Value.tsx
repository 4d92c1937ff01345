interface ValueProps {
  /** Displayed text: three significant digits and the unit. */
  text: string;
  exact: number;
  unit: string;
}

/** Render a number; hovering shows its full precision. */
export function Value({ text, exact, unit }: ValueProps) {
  return <span title={`${exact} ${unit}`}>{text}</span>;
}

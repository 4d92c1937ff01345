// Search parameters of URLs: each parameter is declared by the function that reads it.

/** Return the value of a parameter; undefined if it is missing, invalid or the default. */
type Read<Value> = (raw: unknown) => Value | undefined;

type Reads = Readonly<Record<string, Read<string>>>;

/** Parameters of a URL. All are optional; a missing one has its default. */
export type SearchOf<Declared extends Reads> = { [Key in keyof Declared]?: NonNullable<ReturnType<Declared[Key]>> };

/** Build the parser of search parameters, which drops invalid ones and never throws. */
export function searchOf<Declared extends Reads>(declared: Declared) {
  return (raw: Record<string, unknown>): SearchOf<Declared> => {
    const values = Object.entries(declared).map(([key, read]) => [key, read(raw[key])] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as SearchOf<Declared>;
  };
}

/** Accept one of the known values, unless it is the default. */
export function oneOf<const Value extends string>(known: readonly Value[], fallback?: Value): Read<Value> {
  return (raw) => known.find((value) => value === raw && value !== fallback);
}

/** Accept a text that is not blank, up to a number of characters. */
export function text(longest: number): Read<string> {
  return (raw) => (typeof raw === "string" && raw.trim() !== "" ? raw.slice(0, longest) : undefined);
}

/** Accept the texts of a form's fields as typed, up to a number of characters, unless they are the defaults. */
export function typed<Field extends string>(defaults: Readonly<Record<Field, string>>, longest: number) {
  const reads = Object.entries<string>(defaults).map(([field, fallback]) => [
    field,
    (raw: unknown) => (typeof raw === "string" && raw !== fallback ? raw.slice(0, longest) : undefined),
  ]);
  return Object.fromEntries(reads) as Record<Field, Read<string>>;
}

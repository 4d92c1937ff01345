// Server-sent events with the full state in each event, so that a broken stream can simply be reopened.

/** Delay before reopening a stream that the browser closed [ms]. */
const REOPEN_MS = 2_000;

interface Listener<Whole> {
  event: string;
  /** Parse the data of an event; null if invalid. */
  read: (data: unknown) => Whole | null;
  /** True for the last event of the stream. */
  isLast: (heard: Whole) => boolean;
  onHeard: (heard: Whole) => void;
  /** Called when the stream opens or breaks. */
  onStream: (open: boolean) => void;
}

/** Follow a stream, across interruptions, until the last event or until stopped. */
export function follow<Whole>(
  address: string,
  { event, read, isLast, onHeard, onStream }: Listener<Whole>,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource(address);
    source.addEventListener("open", () => onStream(true));
    source.addEventListener(event, (message) => {
      const heard = read((message as MessageEvent<unknown>).data);
      if (heard === null) return;
      if (isLast(heard)) stop();
      onHeard(heard);
    });
    source.addEventListener("error", () => {
      onStream(false);
      // Browsers reconnect after a lost connection, but not after a response such as 502.
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, REOPEN_MS);
    });
  };
  const stop = () => {
    clearTimeout(timer);
    source?.close();
    onStream(false);
  };
  open();
  return stop;
}

/** Parse the data of an event as an object that has these fields; null if invalid. */
export function eventData<Whole>(data: unknown, fields: readonly (keyof Whole)[]): Whole | null {
  try {
    const found: unknown = typeof data === "string" ? JSON.parse(data) : null;
    return typeof found === "object" && found !== null && fields.every((field) => field in found)
      ? (found as Whole)
      : null;
  } catch {
    return null;
  }
}

// Server-sent events with the full state in each event, so that a broken stream is simply reopened.

/** After how long to reopen a stream that the browser has given up [ms]. */
const REOPEN_MS = 2_000;

interface Listener<Whole> {
  /** What its events are called. */
  event: string;
  /** Read what an event carries; null where it is nothing of the kind. */
  read: (data: unknown) => Whole | null;
  /** After this nothing more will come. */
  isLast: (heard: Whole) => boolean;
  onHeard: (heard: Whole) => void;
  /** Told when the stream opens and breaks. */
  onStream: (open: boolean) => void;
}

/** Listen to events, over every break, until told to stop or the last one is heard. */
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
      // The browser comes back by itself after a lost connection; after an answer such as 502 it does not.
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

// State of one upload, and its transitions.

/** Stage of an upload. */
export type SendingState = "waiting" | "sending" | "lost" | "failed" | "sent";

export interface Sending {
  /** Unique key of a dropped file. */
  key: string;
  name: string;
  size_bytes: number;
  sent_bytes: number;
  state: SendingState;
  /** The service's upload, once it exists. */
  uploadId: string | null;
  /** Reason why it is stopped. */
  problem: string | null;
}

export type SendingEvent =
  | { what: "begun"; uploadId: string; received_bytes: number }
  | { what: "piece"; received_bytes: number }
  | { what: "lost" }
  | { what: "found" }
  | { what: "failed"; problem: string }
  | { what: "again" }
  | { what: "sent" };

export function waiting(key: string, name: string, size_bytes: number): Sending {
  return { key, name, size_bytes, sent_bytes: 0, state: "waiting", uploadId: null, problem: null };
}

/** Apply an event to an upload. Pieces that were sent stay sent. */
export function sendingAfter(now: Sending, event: SendingEvent): Sending {
  if (now.state === "sent") return now;
  switch (event.what) {
    case "begun":
      return { ...now, state: "sending", uploadId: event.uploadId, sent_bytes: event.received_bytes, problem: null };
    case "piece":
      return { ...now, state: "sending", sent_bytes: Math.max(now.sent_bytes, event.received_bytes), problem: null };
    case "lost":
      return { ...now, state: "lost" };
    case "found":
      return { ...now, state: "sending", problem: null };
    case "failed":
      return { ...now, state: "failed", problem: event.problem };
    case "again":
      return now.state === "failed" ? { ...now, state: "waiting", problem: null } : now;
    case "sent":
      return { ...now, state: "sent", sent_bytes: now.size_bytes, problem: null };
  }
}

/** Start and end of each piece of a file. */
export function piecesOf(size_bytes: number, piece_bytes: number): { from: number; to: number }[] {
  const pieces = Math.ceil(size_bytes / piece_bytes);
  return Array.from({ length: pieces }, (_, index) => ({
    from: index * piece_bytes,
    to: Math.min(size_bytes, (index + 1) * piece_bytes),
  }));
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Delay before a retry after consecutive failures [ms]; it doubles each time. */
export function waitAfter(failures: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
}

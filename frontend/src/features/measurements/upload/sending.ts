// State of one upload, and its transitions.

/** Where a file is on its way. */
export type SendingState = "waiting" | "sending" | "lost" | "failed" | "sent";

export interface Sending {
  /** Tells one dropped file from another. */
  key: string;
  name: string;
  size_bytes: number;
  sent_bytes: number;
  state: SendingState;
  /** The upload as the service knows it, once it does. */
  uploadId: string | null;
  /** Why it stands still. */
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

/** What an event makes of a file on its way. What is sent stays sent. */
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

/** The pieces of a file: where each begins and ends. */
export function piecesOf(size_bytes: number, piece_bytes: number): { from: number; to: number }[] {
  const pieces = Math.ceil(size_bytes / piece_bytes);
  return Array.from({ length: pieces }, (_, index) => ({
    from: index * piece_bytes,
    to: Math.min(size_bytes, (index + 1) * piece_bytes),
  }));
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** How long to wait before asking again after so many failures in a row [ms]: twice as long each time. */
export function waitAfter(failures: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
}

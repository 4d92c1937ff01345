// Sender of files: several at once, each in pieces; only lost pieces are sent again.

import { ApiProblem, Unreachable } from "@/api/problem";
import { piecesOf, type Sending, type SendingEvent, sendingAfter, waitAfter, waiting } from "./sending";

/** Requests that the sender makes. */
export interface Service {
  piece_bytes: number;
  begin: (name: string, size_bytes: number, key: string, signal: AbortSignal) => Promise<Received>;
  putPiece: (id: string, number: number, piece: Blob, signal: AbortSignal) => Promise<Received>;
  read: (id: string) => Promise<unknown>;
  discard: (id: string) => Promise<unknown>;
  /** Wait for a time [ms], or until the connection may be restored. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called when the service has received a file, or an upload was canceled. */
  onChange: () => void;
}

interface Received {
  id: string;
  received_bytes: number;
}

/** Most files sent at once: a browser has six connections to a server, and the page needs some. */
const AT_ONCE = 3;
/** Most retries after errors of the service. */
const MOST_FAULTS = 3;

interface Underway {
  file: File;
  stop: AbortController;
}

/** Consecutive attempts without an answer, and errors of the service. */
interface Failures {
  lost: number;
  faults: number;
}

/** Return the delay before a retry [ms], or null if a retry is pointless; counts the failure. */
function pauseAfter(error: unknown, failures: Failures): number | null {
  if (error instanceof Unreachable) {
    failures.lost += 1;
    return waitAfter(failures.lost);
  }
  if (!(error instanceof ApiProblem)) return null;
  if (error.retryAt_ms !== null) return Math.max(0, error.retryAt_ms - Date.now());
  if (error.status < 500 || failures.faults >= MOST_FAULTS) return null;
  failures.faults += 1;
  return waitAfter(failures.faults);
}

export class Sender {
  private sendings: readonly Sending[] = [];
  private readonly underway = new Map<string, Underway>();
  private readonly listeners = new Set<() => void>();
  private next = 0;
  /** Uploads begin one after the other, in the order of the files: the review lists them in this order. */
  private order: Promise<unknown> = Promise.resolve();

  constructor(private readonly service: Service) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly now = (): readonly Sending[] => this.sendings;

  /** Add files. Empty files are rejected at once. */
  add(files: readonly File[]): void {
    for (const file of files) {
      this.next += 1;
      const key = `${this.next} ${file.name} ${file.size} ${file.lastModified}`;
      const begun = waiting(key, file.name, file.size);
      const refused = file.size === 0 ? sendingAfter(begun, { what: "failed", problem: "The file is empty." }) : begun;
      this.sendings = [...this.sendings, refused];
      this.underway.set(key, { file, stop: new AbortController() });
    }
    this.tell();
    this.goOn();
  }

  /** Cancel a file; the service deletes what it has received. */
  cancel(key: string): void {
    const known = this.sendings.find((each) => each.key === key);
    this.underway.get(key)?.stop.abort();
    this.forget(key);
    if (known?.uploadId != null) void this.service.discard(known.uploadId).then(this.service.onChange, () => undefined);
    this.goOn();
  }

  /** Resume a failed file at the failed piece. */
  again(key: string): void {
    this.note(key, { what: "again" });
    this.goOn();
  }

  /** Stop everything, since the user has signed out. */
  stop(): void {
    for (const { stop } of this.underway.values()) stop.abort();
  }

  private goOn(): void {
    const busy = this.sendings.filter(({ state }) => state === "sending" || state === "lost").length;
    const waitingOnes = this.sendings.filter(({ state }) => state === "waiting");
    for (const { key } of waitingOnes.slice(0, Math.max(0, AT_ONCE - busy))) {
      this.note(key, { what: "found" });
      void this.send(key).finally(() => this.goOn());
    }
  }

  private async send(key: string): Promise<void> {
    const { file, stop } = this.underway.get(key) ?? {};
    if (file === undefined || stop === undefined) return;
    const { signal } = stop;
    try {
      const id = await this.begun(key, file, signal);
      const pieces = piecesOf(file.size, this.service.piece_bytes);
      for (const [number, { from, to }] of pieces.entries()) {
        if (to <= (this.find(key)?.sent_bytes ?? 0)) continue;
        await this.persist(key, signal, () => this.service.putPiece(id, number, file.slice(from, to), signal));
        this.note(key, { what: "piece", received_bytes: to });
      }
      await this.persist(key, signal, () => this.service.read(id));
      this.note(key, { what: "sent" });
      this.forget(key);
      this.service.onChange();
    } catch (error) {
      if (signal.aborted) return;
      this.note(key, { what: "failed", problem: error instanceof Error ? error.message : "It could not be sent." });
    }
  }

  private async begun(key: string, file: File, signal: AbortSignal): Promise<string> {
    const known = this.find(key)?.uploadId;
    if (known != null) return known;
    const begin = () => this.persist(key, signal, () => this.service.begin(file.name, file.size, key, signal));
    const begun = this.order.then(begin, begin);
    this.order = begun.catch(() => undefined);
    const { id, received_bytes } = await begun;
    this.note(key, { what: "begun", uploadId: id, received_bytes });
    return id;
  }

  /** Repeat a request until it is answered; refusals are not repeated. */
  private async persist<Answer>(key: string, signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
    const failures: Failures = { lost: 0, faults: 0 };
    for (;;) {
      try {
        const answer = await ask();
        if (failures.lost > 0) this.note(key, { what: "found" });
        return answer;
      } catch (error) {
        await this.pause(key, signal, error, failures);
      }
    }
  }

  /** Wait until a retry makes sense; throws if none does. */
  private async pause(key: string, signal: AbortSignal, error: unknown, failures: Failures): Promise<void> {
    const pause_ms = signal.aborted ? null : pauseAfter(error, failures);
    if (pause_ms === null) throw error;
    if (error instanceof Unreachable) this.note(key, { what: "lost" });
    await this.service.wait(pause_ms, signal);
    if (signal.aborted) throw error;
  }

  private find(key: string): Sending | undefined {
    return this.sendings.find((each) => each.key === key);
  }

  private note(key: string, event: SendingEvent): void {
    this.sendings = this.sendings.map((each) => (each.key === key ? sendingAfter(each, event) : each));
    this.tell();
  }

  private forget(key: string): void {
    this.underway.delete(key);
    this.sendings = this.sendings.filter((each) => each.key !== key);
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

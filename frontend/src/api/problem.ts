import type { FieldProblem, ProblemDetails } from "./generated";
import { noteReachable } from "./reachable";

/** Error response of the service. */
export class ApiProblem extends Error {
  readonly status: number;
  /** Problem type; distinguishes problems with the same status. */
  readonly type: string;
  readonly title: string;
  readonly fields: readonly FieldProblem[];
  readonly reference: string | null;
  /** Earliest time of the next attempt after a rate limit [ms since 1970]. */
  readonly retryAt_ms: number | null;

  constructor(status: number, details: Partial<ProblemDetails>, retryAfter_s: number | null = null) {
    super(details.detail ?? `The service answered with status ${status}.`);
    this.name = "ApiProblem";
    this.status = status;
    this.type = details.type ?? "about:blank";
    this.title = details.title ?? "Not answered";
    this.fields = details.errors ?? [];
    this.reference = details.reference ?? null;
    this.retryAt_ms = retryAfter_s === null ? null : Date.now() + 1_000 * retryAfter_s;
  }
}

/** Error for an unreachable service. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("The service cannot be reached.", { cause });
    this.name = "Unreachable";
  }
}

export interface Outcome<Data> {
  data?: Data | undefined;
  error?: unknown;
  response?: Response | undefined;
}

function detailsIn(error: unknown): Partial<ProblemDetails> {
  return typeof error === "object" && error !== null ? error : {};
}

/**
 * Return the data of a response from the generated client.
 *
 * @throws ApiProblem if the service refused or failed
 * @throws Unreachable if there was no response, or it was not the service's (a proxy without an upstream)
 */
export async function answered<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (response === undefined) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    noteReachable(false);
    throw new Unreachable(error);
  }
  const details = detailsIn(error);
  const fromProxy = response.status >= 502 && details.detail === undefined;
  noteReachable(!fromProxy);
  if (fromProxy) throw new Unreachable(error);
  if (response.status === 204) return undefined as Data;
  if (data !== undefined && error === undefined) return data;
  throw new ApiProblem(response.status, details, retryAfter_s(response));
}

function retryAfter_s({ headers }: Response): number | null {
  const text = headers.get("Retry-After") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** Check if an error means that what was asked for does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 404 || error.status === 422);
}

import type { FieldProblem, ProblemDetails, ReadinessAnswer } from "./generated";
import type { CreateClientConfig } from "./generated/client.gen";
import { noteReachable } from "./reachable";

/** Error response of the service; its cause is the body. */
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
    super(details.detail ?? `The service answered with status ${status}.`, { cause: details });
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

/**
 * Send a request to the service.
 *
 * @throws ApiProblem if the service refused or failed
 * @throws Unreachable if there was no response, or it was not the service's (a proxy without an upstream)
 */
const send: typeof fetch = async (...request) => {
  const response = await fetch(...request).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    noteReachable(false);
    throw new Unreachable(error);
  });
  const details = response.ok ? {} : detailsIn(await response.text());
  const fromProxy = response.status >= 502 && !("detail" in details || isReadiness(details));
  noteReachable(!fromProxy);
  if (fromProxy) throw new Unreachable(details);
  if (response.ok) return response;
  throw new ApiProblem(response.status, details, retryAfter_s(response));
};

/** Parse the body of an error response; empty if it is not an object. */
function detailsIn(body: string): Partial<ProblemDetails> {
  try {
    const found: unknown = JSON.parse(body);
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

/** Check if a body is the readiness of the service, which it sends with status 503 too, without details of a problem. */
export function isReadiness(body: unknown): body is ReadinessAnswer {
  return typeof body === "object" && body !== null && "parts" in body;
}

/** Configure the generated client, whose functions return the data of a response. */
export const createClientConfig: CreateClientConfig = (config) => ({ ...config, fetch: send });

function retryAfter_s({ headers }: Response): number | null {
  const text = headers.get("Retry-After") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** Check if an error means that what was asked for does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 404 || error.status === 422);
}

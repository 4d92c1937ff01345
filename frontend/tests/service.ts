import { act } from "@testing-library/react";
import { vi } from "vitest";

interface Asked {
  method: string;
  path: string;
  search: URLSearchParams;
  headers: Headers;
  body: unknown;
  signal: AbortSignal;
  answer: (status: number, body: unknown, headers?: Record<string, string>) => void;
  /** Whether the page took in what was answered. */
  isRead: () => boolean;
}

/** Stands in for the network: every request waits here until the test answers it. */
export function stubService(): Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const text = await request.text();
    let sent: Response | undefined;
    return new Promise<Response>((resolve) => {
      asked.push({
        method: request.method,
        path: new URL(request.url).pathname,
        search: new URL(request.url).searchParams,
        headers: request.headers,
        body: text === "" ? null : JSON.parse(text),
        signal: request.signal,
        answer: (status, body, headers = {}) => {
          const type = status < 400 ? "application/json" : "application/problem+json";
          sent = new Response(status === 204 ? null : JSON.stringify(body), {
            status,
            headers: { ...headers, "Content-Type": type },
          });
          resolve(sent);
        },
        isRead: () => sent?.bodyUsed === true,
      });
    });
  });
  return asked;
}

/** Let run what is due, until it holds, and then what follows from it. Unlike `waitFor`, it moves no fake clock. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns += 1) {
    if (turns === 10_000) throw new Error(`it never held: ${holds}`);
    await turn();
  }
  await turn();
}

function turn(): Promise<void> {
  return act(async () => {
    await new Promise<void>((resume) => setImmediate(resume));
    if (vi.isFakeTimers()) vi.advanceTimersByTime(0);
  });
}

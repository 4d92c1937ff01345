import { type ReactElement, useEffect, useState } from "react";
import { ApiProblem, Unreachable } from "@/api/problem";
import { PasskeyError } from "@/api/teams/passkeys";
import { duration } from "@/lib/wording";
import { Notice } from "./Notice";
import { ProblemNotice } from "./ProblemNotice";

/** Return the service's message about a field of a form; it is announced when it appears. */
export function remarkOn(error: unknown, field: string): ReactElement | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  const message = error.fields.find(({ path }) => path === field)?.message;
  return message === undefined ? undefined : <span role="alert">{sentence(message)}</span>;
}

/** Capitalize a message and add a final period. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

interface RefusalProps {
  error: unknown;
  /** Fields that display their own messages. */
  fields?: readonly string[];
  /** Data that was kept. */
  kept: string;
  /** Replacement message for 401 and 404, for which the service must always respond with the same text. */
  refused?: string;
}

/** Render the reason for a refused form, unless a field shows it. */
export function Refusal({ error, fields = [], kept, refused }: RefusalProps) {
  if (error === null || error === undefined) return null;
  if (error instanceof PasskeyError) return <Notice tone="warn">{`${error.message} ${kept}`}</Notice>;
  if (!(error instanceof ApiProblem)) {
    return error instanceof Unreachable ? (
      <Notice tone="warn" title="Nothing answered.">
        {` ${kept}`}
      </Notice>
    ) : (
      <ProblemNotice error={error} kept={kept} />
    );
  }
  if (error.status >= 500) return <ProblemNotice error={error} kept={kept} />;
  if (error.retryAt_ms !== null) return <Later key={error.retryAt_ms} at_ms={error.retryAt_ms} />;
  const elsewhere = error.fields.filter(({ path }) => !fields.includes(path));
  if (error.fields.length > 0 && elsewhere.length === 0) return null;
  if (elsewhere.length > 0) {
    return (
      <Notice tone="bad">
        {elsewhere.map(({ path, message }) => (
          <div key={`${path} ${message}`}>{sentence(path === "" ? message : `${path}: ${message}`)}</div>
        ))}
      </Notice>
    );
  }
  const said = refused !== undefined && (error.status === 401 || error.status === 404) ? refused : error.message;
  return <Notice tone="bad">{said}</Notice>;
}

/** Check if the form is rate-limited. */
export function useHeld(error: unknown): boolean {
  const at_ms = error instanceof ApiProblem ? error.retryAt_ms : null;
  return useSecondsUntil(at_ms ?? 0) > 0;
}

/** Return the number of seconds until a time, updated every second. */
function useSecondsUntil(at_ms: number): number {
  const [now_ms, setNow] = useState(() => Date.now());
  const left_s = Math.max(0, Math.ceil((at_ms - now_ms) / 1_000));
  useEffect(() => {
    // The initial clock may be older than the response.
    setNow(Date.now());
    if (at_ms <= Date.now()) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= at_ms) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [at_ms]);
  return left_s;
}

function Later({ at_ms }: { at_ms: number }) {
  const left_s = useSecondsUntil(at_ms);
  // Constant, so that it is announced only once.
  const [first_s] = useState(() => Math.max(1, Math.ceil((at_ms - Date.now()) / 1_000)));
  return (
    <>
      <Notice tone="warn" title="Too many attempts.">
        {left_s === 0 ? " The next one counts again." : ` The next one counts in ${duration(left_s)}.`}
      </Notice>
      <span className="spoken" role="alert">
        Too many attempts. The next one counts in {duration(first_s)}.
      </span>
    </>
  );
}

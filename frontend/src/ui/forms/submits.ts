import type { FormEvent } from "react";

/** Return a handler that sends a form without leaving the page, if it may be sent. */
export function submits(send: () => void, allowed = true): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    if (allowed) send();
  };
}

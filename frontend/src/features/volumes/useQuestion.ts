import { useCallback, useEffect, useRef, useState } from "react";
import { type Question, questionOf, searchWith, type VolumesSearch } from "./search";

/** How long after a keystroke the address follows, and with it the answer [ms]. */
const PAUSE_MS = 200;

type Write = (search: VolumesSearch, replace: boolean) => void;

/**
 * What stands in the form: it runs ahead of the address while somebody types, and follows the address when that
 * changes by other means (back, a link).
 */
export function useQuestion(address: VolumesSearch, write: Write): [Question, (changes: Partial<Question>) => void] {
  const [question, setQuestion] = useState(() => questionOf(address));
  const key = JSON.stringify(questionOf(address));
  const written = useRef(key);
  const latest = useRef({ question, write, type: address.type });
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => {
    latest.current.write = write;
    latest.current.type = address.type;
  }, [write, address.type]);
  useEffect(() => {
    // What was written here and comes back is no news.
    if (key === written.current) return;
    window.clearTimeout(timer.current);
    written.current = key;
    latest.current.question = JSON.parse(key) as Question;
    setQuestion(latest.current.question);
  }, [key]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const change = useCallback((changes: Partial<Question>) => {
    const next = { ...latest.current.question, ...changes };
    latest.current.question = next;
    setQuestion(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      written.current = JSON.stringify(next);
      latest.current.write(searchWith(next, latest.current.type), true);
    }, PAUSE_MS);
  }, []);
  return [question, change];
}

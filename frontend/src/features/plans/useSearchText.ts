import { useEffect, useRef, useState } from "react";

/** How long after a keystroke the address follows, and with it the list [ms]. */
const PAUSE_MS = 200;

/**
 * The text of a search box: it runs ahead of the address while somebody types, and follows the address when that
 * changes by other means (back, a link).
 */
export function useSearchText(address: string, write: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(address);
  const latestWrite = useRef(write);
  const written = useRef(address);
  useEffect(() => {
    latestWrite.current = write;
  }, [write]);
  useEffect(() => {
    // What was written here and comes back is no news.
    if (address.trim() === written.current.trim()) return;
    written.current = address;
    setText(address);
  }, [address]);
  useEffect(() => {
    if (text === written.current) return;
    const timer = setTimeout(() => {
      written.current = text;
      latestWrite.current(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}

import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";

/**
 * Read a secret from the fragment of the page's URL, which servers and logs never see, and remove it from the URL and
 * from the history.
 */
export function useSecret(): string | null {
  const hash = useLocation({ select: (location) => location.hash });
  const [secret, setSecret] = useState<string | null>(null);
  if (hash !== "" && hash !== secret) setSecret(hash);
  useEffect(() => {
    if (hash === "") return;
    window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  }, [hash]);
  return hash === "" ? secret : hash;
}

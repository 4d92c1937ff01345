import { useEffect, useState } from "react";

/**
 * Take the secret out of the page's address: it stands behind `#`, so that no server and no log sees it, and it is gone
 * from the address and from the history as soon as it is read.
 *
 * @param hash what stands behind `#` now
 */
export function useSecret(hash: string): string | null {
  const [secret, setSecret] = useState<string | null>(null);
  if (hash !== "" && hash !== secret) setSecret(hash);
  useEffect(() => {
    if (hash === "") return;
    window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  }, [hash]);
  return hash === "" ? secret : hash;
}

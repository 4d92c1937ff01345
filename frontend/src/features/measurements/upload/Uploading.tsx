import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { addPiece, deleteUpload, startReading } from "@/api/generated";
import { begin, PIECE_BYTES, uploadsKey } from "@/api/measurements/uploads";
import { Sender } from "./sender";
import type { Sending } from "./sending";

const Sends = createContext<Sender | null>(null);

/** Continues uploads on every page; leaving the site asks first. */
export function UploadingProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [sender] = useState(() => senderTo(client));
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (sender.now().some(({ state }) => state !== "failed" && state !== "sent")) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("beforeunload", ask);
      // Another user must not send files of this one.
      sender.stop();
    };
  }, [sender]);
  return <Sends.Provider value={sender}>{children}</Sends.Provider>;
}

function senderTo(client: QueryClient): Sender {
  return new Sender({
    piece_bytes: PIECE_BYTES,
    begin,
    // Sending the same piece twice has no further effect.
    putPiece: (id, number, body, signal) => addPiece({ path: { upload_id: id, number }, body, signal }),
    read: (id) => startReading({ path: { upload_id: id } }),
    discard: (id) => deleteUpload({ path: { upload_id: id } }),
    wait,
    onChange: () => void client.invalidateQueries({ queryKey: uploadsKey() }),
  });
}

/** Wait for a time, or until the browser is online again. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}

const NOTHING: readonly Sending[] = [];

/** Current uploads, and the function that adds files. */
export function useSending(): { sendings: readonly Sending[]; sender: Sender | null } {
  const sender = useContext(Sends);
  const sendings = useSyncExternalStore(sender?.subscribe ?? (() => () => undefined), () => sender?.now() ?? NOTHING);
  return { sendings, sender };
}

// Idempotency keys of requests.

/** Create a UUID, version 4. `crypto.randomUUID` exists only on https and localhost. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => {
    const marked = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    return marked.toString(16).padStart(2, "0");
  }).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

const unanswered = new Map<string, string>();

/**
 * Send a request that must be stored once: the same content keeps its key until a response arrives.
 *
 * @param content identifies the request
 */
export async function once<Answer>(content: unknown, send: (key: string) => Promise<Answer>): Promise<Answer> {
  const name = JSON.stringify(content);
  const key = unanswered.get(name) ?? newKey();
  unanswered.set(name, key);
  const answer = await send(key);
  unanswered.delete(name);
  return answer;
}

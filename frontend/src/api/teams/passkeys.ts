// WebAuthn passkeys. Options and responses are JSON in the service's format.

type Json = Record<string, unknown>;

/** Error for a canceled or refused passkey; browsers do not distinguish the two. */
export class PasskeyError extends Error {}

/** Check if this browser supports passkeys, which require a secure origin. */
export function hasPasskeys(): boolean {
  return typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";
}

/** Create a passkey in the browser. */
export function createPasskey(options: Json): Promise<Json> {
  return requested(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as unknown as PublicKeyCredentialCreationOptionsJSON,
      ),
    }),
  );
}

/** Sign a challenge with a passkey. */
export function signChallenge(options: Json): Promise<Json> {
  return requested(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON,
      ),
    }),
  );
}

async function requested(request: () => Promise<Credential | null>): Promise<Json> {
  if (!hasPasskeys()) {
    throw new PasskeyError("This browser cannot use passkeys here: they need https, and a browser of 2025 or newer.");
  }
  let found: Credential | null;
  try {
    found = await request();
  } catch (error) {
    throw new PasskeyError(words(error));
  }
  if (!(found instanceof PublicKeyCredential)) throw new PasskeyError("The browser returned no passkey.");
  return found.toJSON() as unknown as Json;
}

function words(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return "This authenticator already holds a passkey of the account.";
  if (name === "NotAllowedError") return "Cancelled, or it took too long.";
  return `The browser refused: ${error instanceof Error ? error.message : String(error)}`;
}

// What browsers do with passkeys (Web Authentication). Options and answers are JSON, as the service reads and writes it.

type Json = Record<string, unknown>;

/** The person or the browser did not go through with it; the browser does not tell which. */
export class PasskeyRefused extends Error {}

/** Whether this browser can use passkeys here: it can at secure addresses. */
export function hasPasskeys(): boolean {
  return typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";
}

/** Make a passkey. */
export function made(options: Json): Promise<Json> {
  return asked(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as unknown as PublicKeyCredentialCreationOptionsJSON,
      ),
    }),
  );
}

/** Sign with a passkey. */
export function signed(options: Json): Promise<Json> {
  return asked(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON,
      ),
    }),
  );
}

async function asked(ask: () => Promise<Credential | null>): Promise<Json> {
  if (!hasPasskeys()) {
    throw new PasskeyRefused("This browser cannot use passkeys here: they need https, and a browser of 2025 or newer.");
  }
  let found: Credential | null;
  try {
    found = await ask();
  } catch (error) {
    throw new PasskeyRefused(words(error));
  }
  if (!(found instanceof PublicKeyCredential)) throw new PasskeyRefused("The browser returned no passkey.");
  return found.toJSON() as unknown as Json;
}

function words(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return "This authenticator already holds a passkey of the account.";
  if (name === "NotAllowedError") return "Cancelled, or it took too long.";
  return `The browser refused: ${error instanceof Error ? error.message : String(error)}`;
}

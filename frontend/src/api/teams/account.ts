// Signing in and out, and the reader's own account.

import {
  challengeNewPasskey,
  challengePasskey,
  listPasskeys,
  listSessions,
  lookAtInvitation,
  type OidcStart,
  addPasskey as sendPasskey,
  startOidc,
} from "@/api/generated";
import { FRESH, requested } from "@/api/requests";
import { createPasskey, signChallenge } from "./passkeys";

export type { SecondFactorAnswer as SecondFactorSecret } from "@/api/generated";

/** Sign a challenge with a passkey of the account. */
export async function signWithPasskey() {
  const { options } = await challengePasskey();
  return signChallenge(options);
}

export const myPasskeys = requested(["passkeys"], listPasskeys, FRESH);

/** Create a passkey in the browser and add it to the account. */
export async function addPasskey(name: string) {
  const { options } = await challengeNewPasskey();
  return sendPasskey({ body: { name, passkey: await createPasskey(options) } });
}

/** Redirect to the OpenID provider, which redirects back to `returnTo`. */
export async function atProvider(returnTo: string, what: Pick<OidcStart, "invitation" | "prove"> = {}): Promise<void> {
  const { address } = await startOidc({ body: { return_to: returnTo, ...what } });
  window.location.assign(address);
}

export const mySessions = requested(["sessions"], listSessions, FRESH);

/** Query the details of an invitation without using it up. */
export function invitationOf(secret: string) {
  return requested(["invitation", secret], (request) => lookAtInvitation({ body: { secret }, ...request }));
}

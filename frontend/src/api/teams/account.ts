// Signing in and out, and the reader's own account.

import {
  acceptInvitation,
  beginSecondFactor,
  type CredentialsChange,
  challengeNewPasskey,
  challengePasskey,
  changeAccount,
  changeCredentials,
  chooseTeam,
  confirmSecondFactor as confirmFactor,
  endAllSessions,
  endSession,
  finishSignIn,
  type InvitationLook,
  type Join,
  listPasskeys,
  listSessions,
  lookAtInvitation,
  type OidcStart,
  type PasskeyRow,
  type Proof,
  removePasskey,
  removeSecondFactor,
  renewRecoveryCodes,
  requestReset,
  resetPassword,
  type SecondFactorAnswer as SecondFactorSecret,
  type SessionRow,
  type SignIn,
  addPasskey as sendPasskey,
  prove as sendProof,
  sendVerification,
  signIn,
  signInByLink,
  signOut,
  startOidc,
  verifyEmail,
} from "@/api/generated";
import { answered } from "@/api/problem";
import { FRESH, requested } from "@/api/requests";
import { createPasskey, signChallenge } from "./passkeys";

export type { CredentialsChange, InvitationLook, PasskeyRow, Proof, SecondFactorSecret, SessionRow };

export function byPassword(attempt: SignIn) {
  return answered(signIn({ body: attempt }));
}

/** Complete a sign-in with a second-factor code. */
export function byCode(code: string) {
  return answered(finishSignIn({ body: { code } }));
}

/** Complete a sign-in with a passkey. */
export async function byPasskey() {
  return answered(finishSignIn({ body: { passkey: await signWithPasskey() } }));
}

/** Sign a challenge with a passkey of the account. */
export async function signWithPasskey() {
  const { options } = await answered(challengePasskey());
  return signChallenge(options);
}

export const myPasskeys = requested(["passkeys"], listPasskeys, FRESH);

/** Create a passkey in the browser and add it to the account. */
export async function addPasskey(name: string) {
  const { options } = await answered(challengeNewPasskey());
  return answered(sendPasskey({ body: { name, passkey: await createPasskey(options) } }));
}

export function dropPasskey(id: string) {
  return answered(removePasskey({ path: { passkey_id: id } }));
}

/** Create a secret for an authenticator app; the second factor is required once it is confirmed with a code. */
export function addSecondFactor() {
  return answered(beginSecondFactor());
}

export function confirmSecondFactor(code: string) {
  return answered(confirmFactor({ body: { code } }));
}

export function newRecoveryCodes() {
  return answered(renewRecoveryCodes());
}

export function dropSecondFactor() {
  return answered(removeSecondFactor());
}

export function byLink(secret: string) {
  return answered(signInByLink({ body: { secret } }));
}

/** Redirect to the OpenID provider, which redirects back to `returnTo`. */
export async function atProvider(returnTo: string, what: Pick<OidcStart, "invitation" | "prove"> = {}): Promise<void> {
  const { address } = await answered(startOidc({ body: { return_to: returnTo, ...what } }));
  window.location.assign(address);
}

export function leaveSession() {
  return answered(signOut());
}

export function leaveAllSessions() {
  return answered(endAllSessions());
}

export function leaveOneSession(id: string) {
  return answered(endSession({ path: { session_id: id } }));
}

export function lookAt(orgId: string) {
  return answered(chooseTeam({ body: { org_id: orgId } }));
}

export const mySessions = requested(["sessions"], listSessions, FRESH);

export function rename(name: string) {
  return answered(changeAccount({ body: { name } }));
}

export function change(what: CredentialsChange) {
  return answered(changeCredentials({ body: what }));
}

/** Reauthenticate: credentials can be changed for some minutes afterwards. */
export function prove(proof: Proof) {
  return answered(sendProof({ body: proof }));
}

/** Mail a link that verifies the e-mail address of the account. */
export function askForVerification() {
  return answered(sendVerification());
}

export function verify(secret: string) {
  return answered(verifyEmail({ body: { secret } }));
}

export function askForReset(email: string) {
  return answered(requestReset({ body: { email } }));
}

export function setPassword(secret: string, password: string) {
  return answered(resetPassword({ body: { secret, password } }));
}

/** Query the details of an invitation without using it up. */
export function invitationOf(secret: string) {
  return requested(["invitation", secret], (request) => lookAtInvitation({ body: { secret }, ...request }));
}

export function join(how: Join) {
  return answered(acceptInvitation({ body: how }));
}

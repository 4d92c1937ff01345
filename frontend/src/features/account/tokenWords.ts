import type { TokenRow } from "@/api/generated";
import type { Scope } from "@/api/teams/grants";
import type { Permission } from "@/api/teams/session";
import { day } from "@/lib/wording";

/** Scopes with their descriptions, and the permission that each requires. */
export const SCOPES: Record<Scope, { name: string; may: string; needs: Permission }> = {
  read: { name: "Read", may: "read the catalog, plans and sweeps", needs: "plans.read" },
  plan: { name: "Plan", may: "plan, save, sweep and share as well", needs: "plans.write" },
  measure: { name: "Measure", may: "upload measurements and ask for benchmark runs", needs: "measurements.write" },
  audit: { name: "Audit log", may: "read the team’s audit log", needs: "audit.read" },
};

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** Lifetimes of tokens [days] with their labels. */
export const LIVES: [days: number, words: string][] = [
  [7, "A week"],
  [30, "30 days"],
  [90, "90 days"],
  [366, "A year"],
];

/** State of a token: `until 20 Jan 2027`, `expired 3 Dec 2026`, `paused since 3 Dec 2026`. */
export function stateOf(
  token: Pick<TokenRow, "expires_at" | "revoked_at" | "paused_since">,
  now_ms: number,
): { over: boolean; words: string } {
  if (token.revoked_at !== null) return { over: true, words: `revoked ${day(token.revoked_at)}` };
  const over = Date.parse(token.expires_at) <= now_ms;
  if (!over && token.paused_since !== null) return { over, words: `paused since ${day(token.paused_since)}` };
  return { over, words: `${over ? "expired" : "until"} ${day(token.expires_at)}` };
}

/** Why a token is paused, and what resumes it. */
export function pauseReason(token: Pick<TokenRow, "refused_by_provider" | "person">, isMine: boolean): string {
  const reason = token.refused_by_provider
    ? `the sign-in provider no longer accepts ${isMine ? "your account" : `the account of ${token.person}`}`
    : `${isMine ? "you have" : `${token.person} has`} not signed in for 30 days`;
  return `Paused: ${reason}. The next sign-in resumes the token.`;
}

// Browser and system of a session, from its user agent: a hint to distinguish sessions.

const BROWSERS: [name: string, mark: RegExp][] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\bFirefox\//],
  // Chrome calls itself Safari too, and the others call themselves Chrome.
  ["Chrome", /\b(Chrome|Chromium|HeadlessChrome|CriOS)\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: [name: string, mark: RegExp][] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(iPhone|iPad)\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];

/** Format as `Firefox on Linux`; for an unknown user agent, return its first word. */
export function agentWords(agent: string | null): string {
  if (agent === null || agent.trim() === "") return "Unknown browser";
  const browser = BROWSERS.find(([, mark]) => mark.test(agent))?.[0];
  const system = SYSTEMS.find(([, mark]) => mark.test(agent))?.[0];
  if (browser === undefined) return agent.trim().split(/[\s/]/)[0] ?? agent;
  return system === undefined ? browser : `${browser} on ${system}`;
}

// The address of the audit log.

export interface AuditSearch {
  search?: string;
}

export const LONGEST_SEARCH = 200;

/** Keep the valid parts of an address; never fails. */
export function auditSearchFrom(raw: Record<string, unknown>): AuditSearch {
  const text = typeof raw["search"] === "string" ? raw["search"].slice(0, LONGEST_SEARCH) : "";
  return text.trim() === "" ? {} : { search: text };
}

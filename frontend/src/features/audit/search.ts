// The address of the audit log.

export { wordsSearchFrom as auditSearchFrom } from "@/lib/wordsSearch";

import { shown } from "@/lib/plainText";

/** A text that somebody wrote, by itself: whatever its letters are, they turn nothing around but themselves. */
export function Plain({ text }: { text: string }) {
  return <bdi>{shown(text)}</bdi>;
}

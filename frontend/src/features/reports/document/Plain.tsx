import { shown } from "@/lib/plainText";

/** A text of a user, isolated: its letters cannot change the direction of other text. */
export function Plain({ text }: { text: string }) {
  return <bdi>{shown(text)}</bdi>;
}

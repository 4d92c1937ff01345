import { Group } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { CopyText } from "@/ui/CopyText";
import classes from "./Form.module.css";

interface SecretOnceProps {
  title: string;
  secret: string;
  /** What is copied: `Copy the link`. */
  copy: string;
  children: ReactNode;
}

/** Something that is shown this once: with a way to take it, and where the reader's eyes and ears are. */
export function SecretOnce({ title, secret, copy, children }: SecretOnceProps) {
  const head = useRef<HTMLElement>(null);
  useEffect(() => {
    if (secret !== "") head.current?.focus();
  }, [secret]);
  return (
    <section className="notice" aria-label={title}>
      <strong ref={head} tabIndex={-1}>
        {title}
      </strong>
      <code className={classes.secret}>{secret}</code>
      <Group gap="sm">
        <CopyText text={() => secret} label={copy} done="It is copied." />
        <span className="dim small">{children}</span>
      </Group>
    </section>
  );
}

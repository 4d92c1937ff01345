import { Group } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { CopyText } from "@/ui/CopyText";
import classes from "./Form.module.css";

interface SecretOnceProps {
  title: string;
  secret: string;
  /** Text of the copy button: `Copy the link`. */
  copy: string;
  children: ReactNode;
}

/** Render a secret that is displayed only once, with a copy button; moves the focus here. */
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

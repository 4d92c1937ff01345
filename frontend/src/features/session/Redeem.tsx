import { Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { signInByLink } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { type Session, useAdopt } from "@/api/teams/session";
import { Refusal } from "@/ui/feedback/Refusal";
import classes from "@/ui/forms/Form.module.css";
import { SignInPage, SpentLink } from "./SignInPage";

interface RedeemProps {
  secret: string;
  onDone: (session: Session) => void;
}

/** Signs in by a one-time link on page load. */
export function Redeem({ secret, onDone }: RedeemProps) {
  useDocumentTitle("Sign in · Stowage");
  const adopt = useAdopt();
  const redeeming = useMutation({
    mutationFn: (by: string) => signInByLink({ body: { secret: by } }),
    onSuccess: (session) => {
      adopt(session);
      onDone(session);
    },
  });
  const sent = useRef<string>(undefined);
  const { mutate, error } = redeeming;
  useEffect(() => {
    // It works once: an effect that runs twice must not use it twice.
    if (sent.current === secret) return;
    sent.current = secret;
    mutate(secret);
  }, [secret, mutate]);
  if (error !== null) {
    const spent = error instanceof ApiProblem && [401, 404, 422].includes(error.status);
    return (
      <SignInPage
        here="/"
        before={spent ? <SpentLink /> : <Refusal error={error} kept="Whether the link was used is not known." />}
      />
    );
  }
  return (
    <section className={`card ${classes.narrow}`} aria-label="Signing in" role="status">
      <h1 className="heading">Signing in</h1>
      <Skeleton height={36} mb="sm" />
      <Skeleton height={36} />
    </section>
  );
}

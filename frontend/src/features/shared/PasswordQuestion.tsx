import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { unlockShared } from "@/api/generated";
import { ApiProblem } from "@/api/problem";
import { Refusal, useHeld } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";
import { Password } from "@/ui/forms/Password";
import { submits } from "@/ui/forms/submits";

interface PasswordQuestionProps {
  secret: string;
  /** Called when the password is accepted. */
  onOpen: () => void;
}

/** Password form of a share link; it does not reveal what is shared. */
export function PasswordQuestion({ secret, onOpen }: PasswordQuestionProps) {
  useDocumentTitle("Shared · Stowage");
  const id = useId();
  const [password, setPassword] = useState("");
  const opening = useMutation({
    mutationFn: () => unlockShared({ path: { secret }, body: { password } }),
    onSuccess: onOpen,
    // A wrong password must be typed again.
    onError: () => setPassword(""),
  });
  const held = useHeld(opening.error);
  const wrong = opening.error instanceof ApiProblem && [401, 422].includes(opening.error.status);
  return (
    <NarrowPage id={id} title="This link has a password">
      <p className={form.lead}>The person who gave you the link knows it.</p>
      <form
        className={form.fields}
        onSubmit={submits(() => opening.mutate(), !held && !opening.isPending && password !== "")}
      >
        <Password
          label="Password of the link"
          autoComplete="off"
          autoFocus
          value={password}
          error={wrong && password === "" ? "That is not its password." : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {!wrong && <Refusal error={opening.error} kept="" />}
        <div>
          <Button type="submit" loading={opening.isPending} disabled={held}>
            Open
          </Button>
        </div>
      </form>
    </NarrowPage>
  );
}

import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { verifyEmail } from "@/api/generated";
import { session as sessionQuery } from "@/api/teams/session";
import { Refusal, useHeld } from "@/ui/feedback/Refusal";
import classes from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";

const SPENT = "This link was used already or has expired. Request another one on the page Account.";

/** Verification of an e-mail address by a mailed link; behind a button, because mail programs open links too. */
export function VerifyPage({ secret }: { secret: string | null }) {
  useDocumentTitle("Verify an address · Stowage");
  const client = useQueryClient();
  const verifying = useMutation({
    mutationFn: (by: string) => verifyEmail({ body: { secret: by } }),
    onSuccess: () => client.refetchQueries(sessionQuery),
  });
  const held = useHeld(verifying.error);
  return (
    <NarrowPage id="verify" title="Verify your address">
      {secret === null ? (
        <p className={classes.lead}>{SPENT}</p>
      ) : verifying.isSuccess ? (
        <p className={classes.lead} role="status">
          The address is verified.
        </p>
      ) : (
        <div className={classes.fields}>
          <p className={classes.lead}>
            This link was mailed to the e-mail address of an account on Stowage. Verify it if the account is yours.
          </p>
          <Refusal error={verifying.error} kept="Nothing was changed." refused={SPENT} />
          <div className={classes.actions}>
            <Button loading={verifying.isPending} disabled={held} onClick={() => verifying.mutate(secret)}>
              Verify the address
            </Button>
          </div>
        </div>
      )}
    </NarrowPage>
  );
}

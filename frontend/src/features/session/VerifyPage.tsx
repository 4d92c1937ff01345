import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { verifyEmail } from "@/api/generated";
import { session as sessionQuery } from "@/api/teams/session";
import { useChange } from "@/api/useChange";
import { Refusal, useHeld } from "@/ui/feedback/Refusal";
import classes from "@/ui/forms/Form.module.css";
import { NarrowPage } from "@/ui/forms/NarrowPage";

const SPENT = "This link was used already or has expired. Request another one on the page Account.";

/** Verification of an e-mail address by a mailed link; behind a button, because mail programs open links too. */
export function VerifyPage({ secret }: { secret: string | null }) {
  useDocumentTitle("Verify an address · Stowage");
  const verifying = useChange((by: string) => verifyEmail({ body: { secret: by } }), [sessionQuery.queryKey]);
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

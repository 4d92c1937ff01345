import { Link } from "@tanstack/react-router";
import { useMay, useSession } from "@/api/teams/session";
import { AccountPage } from "@/features/account/AccountPage";
import { NotFound } from "@/routes/layout/NotFound";

export function AccountRoute() {
  const session = useSession();
  const mayHold = useMay("tokens.write");
  const person = session?.person ?? null;
  if (session === undefined || person === null) return <NotFound />;
  return (
    <AccountPage
      session={{ ...session, person }}
      tokensLink={
        mayHold ? (
          <>
            <Link to="/account/tokens">Tokens</Link> let programs act for you.
          </>
        ) : null
      }
    />
  );
}

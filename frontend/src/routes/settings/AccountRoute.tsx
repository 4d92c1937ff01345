import { useSession } from "@/api/teams/session";
import { AccountPage } from "@/features/account/AccountPage";
import { NotFound } from "@/ui/links/NotFound";

export function AccountRoute() {
  const session = useSession();
  const person = session?.person ?? null;
  if (session === undefined || person === null) return <NotFound />;
  return <AccountPage session={{ ...session, person }} />;
}

import { useMay, useSession } from "@/api/teams/session";
import { TokensPage } from "@/features/account/TokensPage";
import { NotFound } from "@/ui/links/NotFound";

export function TokensRoute() {
  const session = useSession();
  const mayHold = useMay("tokens.write");
  if (session === undefined || !mayHold) return <NotFound />;
  return <TokensPage session={session} />;
}

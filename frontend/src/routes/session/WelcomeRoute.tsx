import { Link, useNavigate } from "@tanstack/react-router";
import { useMay, useSession } from "@/api/teams/session";
import { WelcomePage } from "@/features/session/WelcomePage";
import { useExampleOffered } from "@/routes/layout/ExampleTeam";

export function WelcomeRoute() {
  const session = useSession();
  const navigate = useNavigate();
  const mayInvite = useMay("team.write");
  const example = useExampleOffered();
  if (session === undefined) return null;
  return (
    <WelcomePage
      session={session}
      onDone={() => void navigate({ to: "/", search: {} })}
      elsewhere={
        <>
          {example && (
            <>
              <Link to="/plans" search={{ team: "example" }}>
                Look at the example team
              </Link>{" "}
              to see what saved plans and sweeps are.{" "}
            </>
          )}
          {mayInvite && (
            <>
              Others come by <Link to="/settings/team">an invitation</Link>.
            </>
          )}
        </>
      }
    />
  );
}

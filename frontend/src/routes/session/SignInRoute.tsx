import { Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { useSession } from "@/api/teams/session";
import { Redeem } from "@/features/session/Redeem";
import { SignInPage } from "@/features/session/SignInPage";
import { useSecret } from "@/features/session/useSecret";
import { isNew, isPutOff, problemWords } from "@/features/session/words";
import { Notice } from "@/ui/feedback/Notice";

/** Render the target of one-time links and of failed OpenID sign-ins. */
export function SignInRoute() {
  const secret = useSecret();
  const { problem } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const session = useSession();
  if (secret !== null) {
    return (
      <Redeem
        key={secret}
        secret={secret}
        onDone={({ person }) => {
          const first = person !== null && isNew(person) && !isPutOff(person.person_id);
          void navigate({ to: first ? "/welcome" : "/", replace: true });
        }}
      />
    );
  }
  if (session?.signed_in === true && problem === undefined) return <Navigate to="/" search={{}} replace />;
  const words = problemWords(problem);
  return (
    <SignInPage
      here="/"
      before={
        words !== undefined && (
          <div style={{ marginBottom: 16 }}>
            <Notice tone="warn">{words}</Notice>
          </div>
        )
      }
    />
  );
}

import { useNavigate } from "@tanstack/react-router";
import { ResetPage } from "@/features/session/ResetPage";
import { useSecret } from "@/features/session/useSecret";

export function ResetRoute() {
  const secret = useSecret();
  const navigate = useNavigate();
  return <ResetPage key={secret} secret={secret} onDone={() => void navigate({ to: "/", replace: true })} />;
}

import { useNavigate } from "@tanstack/react-router";
import { JoinPage } from "@/features/session/JoinPage";
import { useSecret } from "@/features/session/useSecret";

export function JoinRoute() {
  const secret = useSecret();
  const navigate = useNavigate();
  return <JoinPage key={secret} secret={secret} onJoined={() => void navigate({ to: "/", replace: true })} />;
}

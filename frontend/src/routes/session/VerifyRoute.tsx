import { useSecret } from "@/features/session/useSecret";
import { VerifyPage } from "@/features/session/VerifyPage";

export function VerifyRoute() {
  const secret = useSecret();
  return <VerifyPage key={secret} secret={secret} />;
}

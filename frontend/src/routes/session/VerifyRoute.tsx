import { useLocation } from "@tanstack/react-router";
import { useSecret } from "@/features/session/useSecret";
import { VerifyPage } from "@/features/session/VerifyPage";

export function VerifyRoute() {
  const secret = useSecret(useLocation({ select: ({ hash }) => hash }));
  return <VerifyPage key={secret} secret={secret} />;
}

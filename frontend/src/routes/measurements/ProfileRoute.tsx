import { useParams } from "@tanstack/react-router";
import { ProfilePage } from "@/features/measurements/profiles/ProfilePage";

export function ProfileRoute() {
  const { profileKey } = useParams({ from: "/benchmarks/profiles/$profileKey" });
  return <ProfilePage key={profileKey} id={profileKey} />;
}

import { useParams } from "@tanstack/react-router";
import { ProfilePage } from "@/features/measurements/profiles/ProfilePage";

export function ProfileRoute() {
  const { profileKey } = useParams({ from: "/measurements/profiles/$profileKey" });
  return <ProfilePage key={profileKey} id={profileKey} />;
}

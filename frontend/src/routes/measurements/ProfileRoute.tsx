import { useParams } from "@tanstack/react-router";
import { ProfilePage } from "@/features/measurements/profiles/ProfilePage";
import { NotFound } from "@/routes/layout/NotFound";
import { backTo, linkToMeasurement } from "./measurementLinks";

export function ProfileRoute() {
  const { profileKey } = useParams({ from: "/measurements/profiles/$profileKey" });
  return (
    <ProfilePage
      key={profileKey}
      id={profileKey}
      linkToMeasurement={linkToMeasurement}
      back={backTo("profiles", "All figures")}
      missing={<NotFound what="There is no such figure, or it belongs to another team." />}
    />
  );
}

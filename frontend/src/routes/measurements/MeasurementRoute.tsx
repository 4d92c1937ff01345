import { useParams } from "@tanstack/react-router";
import { MeasurementPage } from "@/features/measurements/MeasurementPage";
import { NotFound } from "@/routes/layout/NotFound";
import { backTo, linkToProfile } from "./measurementLinks";

export function MeasurementRoute() {
  const { measurementId } = useParams({ from: "/measurements/$measurementId" });
  return (
    <MeasurementPage
      key={measurementId}
      id={measurementId}
      linkToProfile={linkToProfile}
      back={backTo("list", "All measurements")}
      missing={<NotFound what="There is no such measurement, or it belongs to another team." />}
    />
  );
}

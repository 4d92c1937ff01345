import { useParams } from "@tanstack/react-router";
import { MeasurementPage } from "@/features/measurements/MeasurementPage";

export function MeasurementRoute() {
  const { measurementId } = useParams({ from: "/benchmarks/$measurementId" });
  return <MeasurementPage key={measurementId} id={measurementId} />;
}

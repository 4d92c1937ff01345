import { useParams } from "@tanstack/react-router";
import { JobPage } from "@/features/calibration/JobPage";

export function JobRoute() {
  const { jobId } = useParams({ from: "/benchmarks/jobs/$jobId" });
  return <JobPage key={jobId} id={jobId} />;
}

import { useParams } from "@tanstack/react-router";
import { JobPage } from "@/features/calibration/JobPage";
import { NotFound } from "@/routes/layout/NotFound";
import { backTo } from "./measurementLinks";

export function JobRoute() {
  const { jobId } = useParams({ from: "/measurements/jobs/$jobId" });
  return (
    <JobPage
      key={jobId}
      id={jobId}
      back={backTo("jobs", "All finished jobs")}
      missing={<NotFound what="There is no such job, or it belongs to another team." />}
    />
  );
}

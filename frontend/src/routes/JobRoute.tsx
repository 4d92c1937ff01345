import { useParams } from "@tanstack/react-router";
import { JobPage } from "@/features/calibration/JobPage";
import { backTo } from "./measurementLinks";
import { NotFound } from "./NotFound";

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

import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { JobRow } from "@/api/measurements/calibrations";
import { AddedJobs, LogReview } from "@/features/calibration/LogReview";
import { ReviewPage } from "@/features/measurements/review/ReviewPage";
import { NotFound } from "@/routes/layout/NotFound";
import { backTo, linkToJob, linkToMeasurement, linkToProfile } from "./measurementLinks";

/** Render the review of all pending uploads, or of the one in the URL. */
export function ReviewRoute() {
  const { uploadId } = useParams({ strict: false });
  const navigate = useNavigate();
  const [added, setAdded] = useState<readonly JobRow[]>([]);
  const leave = ([job, ...others]: readonly JobRow[]) =>
    void (job !== undefined && others.length === 0
      ? navigate({ to: "/measurements/jobs/$jobId", params: { jobId: job.id } })
      : navigate({ to: "/measurements", search: { tab: "jobs" } }));
  return (
    <ReviewPage
      {...(uploadId === undefined ? {} : { id: uploadId })}
      linkToMeasurement={linkToMeasurement}
      linkToProfile={linkToProfile}
      addedJobs={<AddedJobs jobs={added} linkToJob={linkToJob} />}
      reviewLog={(upload, isLast) => (
        <LogReview
          upload={upload}
          onKept={(jobs) => {
            setAdded((before) => [...jobs, ...before]);
            if (isLast) leave([...jobs, ...added]);
          }}
        />
      )}
      back={backTo("profiles", "All measurements")}
      missing={<NotFound what="There is no such file, or it belongs to another team." />}
    />
  );
}

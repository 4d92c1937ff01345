import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { JobRow } from "@/api/measurements/calibrations";
import { AddedJobs, LogReview } from "@/features/calibration/LogReview";
import { ReviewPage } from "@/features/measurements/review/ReviewPage";

/** Render the review of all pending uploads, or of the one in the URL. */
export function ReviewRoute() {
  const { uploadId } = useParams({ strict: false });
  const navigate = useNavigate();
  const [added, setAdded] = useState<readonly JobRow[]>([]);
  const leave = ([job, ...others]: readonly JobRow[]) =>
    void (job !== undefined && others.length === 0
      ? navigate({ to: "/benchmarks/jobs/$jobId", params: { jobId: job.id } })
      : navigate({ to: "/benchmarks", search: { tab: "jobs" } }));
  return (
    <ReviewPage
      {...(uploadId === undefined ? {} : { id: uploadId })}
      addedJobs={<AddedJobs jobs={added} />}
      reviewLog={(upload, isLast) => (
        <LogReview
          upload={upload}
          onKept={(jobs) => {
            setAdded((before) => [...jobs, ...before]);
            if (isLast) leave([...jobs, ...added]);
          }}
        />
      )}
    />
  );
}

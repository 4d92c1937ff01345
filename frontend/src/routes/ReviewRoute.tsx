import { useNavigate, useParams } from "@tanstack/react-router";
import { LogReview } from "@/features/calibration/LogReview";
import { ReviewPage } from "@/features/measurements/ReviewPage";
import { backTo, linkToMeasurement, linkToProfile } from "./measurementLinks";
import { NotFound } from "./NotFound";

/** Every file that waits to be looked at, or the one that the address names. */
export function ReviewRoute() {
  const { uploadId } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <ReviewPage
      {...(uploadId === undefined ? {} : { id: uploadId })}
      linkToMeasurement={linkToMeasurement}
      linkToProfile={linkToProfile}
      reviewLog={(upload) => (
        <LogReview
          upload={upload}
          onKept={([job, ...others]) =>
            void (job !== undefined && others.length === 0
              ? navigate({ to: "/measurements/jobs/$jobId", params: { jobId: job.id } })
              : navigate({ to: "/measurements", search: { tab: "jobs" } }))
          }
        />
      )}
      back={backTo("profiles", "All measurements")}
      missing={<NotFound what="There is no such file, or it belongs to another team." />}
    />
  );
}

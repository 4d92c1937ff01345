import { useParams } from "@tanstack/react-router";
import { ReviewPage } from "@/features/measurements/ReviewPage";
import { backTo, linkToMeasurement, linkToProfile } from "./measurementLinks";
import { NotFound } from "./NotFound";

/** Every file that waits to be looked at, or the one that the address names. */
export function ReviewRoute() {
  const { uploadId } = useParams({ strict: false });
  return (
    <ReviewPage
      {...(uploadId === undefined ? {} : { id: uploadId })}
      linkToMeasurement={linkToMeasurement}
      linkToProfile={linkToProfile}
      back={backTo("profiles", "All measurements")}
      missing={<NotFound what="There is no such file, or it belongs to another team." />}
    />
  );
}

import { useParams } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { CalibrationPage } from "@/features/calibration/CalibrationPage";
import { ButtonLink } from "@/routes/layout/ButtonLink";
import { NotFound } from "@/routes/layout/NotFound";
import { lastQuestion } from "@/routes/plan/lastQuestion";
import { backTo, linkToJob } from "./measurementLinks";

export function CalibrationRoute() {
  const { calibrationId } = useParams({ from: "/measurements/calibrations/$calibrationId" });
  const mayAsk = useMay("plans.ask");
  return (
    <CalibrationPage
      key={calibrationId}
      id={calibrationId}
      linkToJob={linkToJob}
      planWith={(name) =>
        mayAsk && (
          <ButtonLink to="/" search={{ ...lastQuestion(), framework: name }} size="compact-sm">
            Plan with it
          </ButtonLink>
        )
      }
      back={backTo("jobs", "All calibrations")}
      missing={<NotFound what="There is no such calibration, or it belongs to another team." />}
    />
  );
}

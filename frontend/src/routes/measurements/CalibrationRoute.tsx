import { useParams } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { CalibrationPage } from "@/features/calibration/CalibrationPage";
import { lastQuestion } from "@/routes/plan/lastQuestion";
import { ButtonLink } from "@/ui/links/ButtonLink";

export function CalibrationRoute() {
  const { calibrationId } = useParams({ from: "/benchmarks/calibrations/$calibrationId" });
  const mayAsk = useMay("plans.ask");
  return (
    <CalibrationPage
      key={calibrationId}
      id={calibrationId}
      planWith={(name) =>
        mayAsk && (
          <ButtonLink to="/plans/new" search={{ ...lastQuestion(), framework: name }} size="compact-sm">
            Plan with it
          </ButtonLink>
        )
      }
    />
  );
}

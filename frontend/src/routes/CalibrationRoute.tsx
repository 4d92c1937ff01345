import { Button } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useMay } from "@/api/session";
import { CalibrationPage } from "@/features/calibration/CalibrationPage";
import { lastQuestion } from "./lastQuestion";
import { backTo, linkToJob } from "./measurementLinks";
import { NotFound } from "./NotFound";

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
          <Button
            size="compact-sm"
            renderRoot={(props) => <Link to="/" search={{ ...lastQuestion(), framework: name }} {...props} />}
          >
            Plan with it
          </Button>
        )
      }
      back={backTo("jobs", "All calibrations")}
      missing={<NotFound what="There is no such calibration, or it belongs to another team." />}
    />
  );
}

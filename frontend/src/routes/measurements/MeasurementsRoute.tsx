import { useNavigate } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";
import { JobsTab } from "@/features/calibration/JobsTab";
import { MeasurementsPage } from "@/features/measurements/MeasurementsPage";
import { ChooseFiles } from "@/features/measurements/upload/DropZone";
import { useAddress } from "@/routes/useAddress";
import { NotFound } from "@/ui/links/NotFound";

export function MeasurementsRoute() {
  const address = useAddress("/benchmarks");
  const navigate = useNavigate({ from: "/benchmarks" });
  if (!useMay("measurements.read")) return <NotFound />;
  return (
    <MeasurementsPage
      {...address}
      onAdded={() => void navigate({ to: "/benchmarks/upload" })}
      jobs={
        <JobsTab
          chooseLogs={
            <ChooseFiles
              first={false}
              label="Add runs from logs"
              accepted="event logs of Spark (also the History Server's zip), job histories of MapReduce (.jhist or JSON), JSON of YARN's applications, syslog and controller of EMR steps, and timelines of Ray: plain, .gz, .zst or in an archive, up to 256 MiB each"
              onAdded={() => void navigate({ to: "/benchmarks/upload" })}
            />
          }
          onCalibrated={(id) =>
            void navigate({ to: "/benchmarks/calibrations/$calibrationId", params: { calibrationId: id } })
          }
        />
      }
    />
  );
}

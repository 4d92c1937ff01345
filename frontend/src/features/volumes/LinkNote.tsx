import type { VolumeDesignAnswer } from "@/api/generated";
import { amountWords } from "@/lib/units";
import { count, counted, usd } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { Sourced } from "./Sourced";
import classes from "./VolumesPage.module.css";
import { linkFigures } from "./words";

/** Note on the load that the instance's EBS link can carry, and the types that can carry it all day. */
export function LinkNote({ answer }: { answer: VolumeDesignAnswer }) {
  const { link, carrying_types: types, asked } = answer;
  if (asked.mb_per_s === 0 && link === null) return null;
  return (
    <Card id="link" title="The instance’s link to EBS">
      {link !== null && (
        <div className="notice" data-tone={link.carried === "not" ? "warn" : "plain"}>
          <p style={{ margin: 0 }}>{link.words}</p>
          {link.ebs_baseline_mb_per_s !== null && link.ebs_maximum_mb_per_s !== null && (
            <p style={{ margin: "4px 0 0" }}>
              <Sourced
                exact={`${link.ebs_baseline_mb_per_s} MB/s, ${link.ebs_maximum_mb_per_s} MB/s at most`}
                figures={linkFigures(answer, link.instance, ["ebs_"])}
                label={`the link of ${link.instance}`}
              >
                Baseline {amountWords(link.ebs_baseline_mb_per_s, "MB/s")}
                {link.ebs_baseline_iops !== null && ` and ${count(link.ebs_baseline_iops)} IOPS`}; for 30 minutes in 24
                hours {amountWords(link.ebs_maximum_mb_per_s, "MB/s")}
                {link.ebs_maximum_iops !== null && ` and ${count(link.ebs_maximum_iops)} IOPS`}
              </Sourced>
              ; takes {counted(link.most_volumes, "volume")} beside its root volume.
            </p>
          )}
        </div>
      )}
      {asked.mb_per_s > 0 && (
        <>
          <p style={{ margin: "8px 0 0" }}>
            {types.length === 0
              ? "No instance type in this catalog is known to meet the requirement all day."
              : "The cheapest types whose baseline meets the requirement all day:"}
          </p>
          <ul className={`bare ${classes.types}`}>
            {types.map((type) => (
              <li key={type.name}>
                <strong>{type.name}</strong>{" "}
                <Sourced
                  exact={`${type.ebs_baseline_mb_per_s} MB/s, ${type.usd_per_hour} USD/h`}
                  figures={linkFigures(answer, type.name, ["usd_", "ebs_"])}
                  label={`the link and price of ${type.name}`}
                >
                  {amountWords(type.ebs_baseline_mb_per_s, "MB/s")}, {usd(type.usd_per_hour)}/h
                </Sourced>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

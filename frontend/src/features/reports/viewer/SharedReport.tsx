import { Button } from "@mantine/core";
import type { SharedReportAnswer } from "@/api/generated";
import { sharedFileAddress } from "@/api/reports";
import { ReportDocument } from "@/features/reports/document/ReportDocument";
import { day, moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { ApprovalLine } from "./Approval";
import { Files } from "./Downloads";
import classes from "./ReportPage.module.css";

interface SharedReportProps {
  secret: string;
  shared: SharedReportAnswer;
  /** Expiry of the link. */
  until: string;
  onAgain: () => void;
}

/** A report opened by a share link. */
export function SharedReport({ secret, shared, until, onAgain }: SharedReportProps) {
  return (
    <div className={classes.page}>
      <div className={`spread ${classes.bar} no-print`}>
        <span className="dim">
          Shared to read until {day(until)}.
          {shared.replaced_at !== null &&
            ` A newer report was made on ${moment(shared.replaced_at)}; the person who gave you the link can share it.`}
        </span>
        {shared.documents.state === "making" && (
          <Button size="compact-sm" variant="subtle" onClick={onAgain}>
            Look again
          </Button>
        )}
      </div>
      {shared.since !== null && <Notice tone="warn">{shared.since}</Notice>}
      <ReportDocument
        composed={shared}
        level={1}
        approval={<ApprovalLine approval={shared.approval} />}
        files={<Files addressOf={(format) => sharedFileAddress(secret, format)} documents={shared.documents} />}
      />
    </div>
  );
}

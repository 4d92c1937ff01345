import { Button, Group } from "@mantine/core";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { TOOLS } from "@/api/generated/registry.gen";
import classes from "@/features/measurements/Measurements.module.css";
import { useSending } from "./Uploading";

interface DropZoneProps {
  /** Called when files were added. */
  onAdded: () => void;
  /** The page, on which files may be dropped anywhere. */
  children: ReactNode;
}

/** Accepts files dropped anywhere on the page. */
export function DropZone({ onAdded, children }: DropZoneProps) {
  const { sender } = useSending();
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  const take = (files: readonly File[]) => {
    if (files.length === 0) return;
    sender?.add(files);
    onAdded();
  };
  const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped by hand; by keyboard they are chosen
    <div
      className={classes.dropping}
      data-over={over || undefined}
      onDragEnter={(event) => {
        if (!holdsFiles(event)) return;
        depth.current += 1;
        setOver(true);
      }}
      onDragLeave={() => {
        depth.current = Math.max(0, depth.current - 1);
        if (depth.current === 0) setOver(false);
      }}
      onDragOver={(event) => {
        if (holdsFiles(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        take([...event.dataTransfer.files]);
      }}
    >
      {children}
    </div>
  );
}

const TITLES = TOOLS.filter(({ name }) => name !== "csv").map(({ title }) => title);
const BENCHMARKS =
  `unchanged output of ${TITLES.join(", ")}, or a CSV table; up to 256 MiB, also in a zip or tar; ` +
  "or logs of finished jobs of Spark, MapReduce, YARN, EMR steps or Ray";

interface ChooseFilesProps {
  onAdded: () => void;
  first: boolean;
  label?: string;
  /** Accepted files. */
  accepted?: string;
}

/** File picker, for devices without drag and drop. */
export function ChooseFiles({ onAdded, first, label = "Choose files", accepted = BENCHMARKS }: ChooseFilesProps) {
  const { sender } = useSending();
  const input = useRef<HTMLInputElement>(null);
  return (
    <Group gap="6px 12px" mt={12} className={classes.choose}>
      <Button size="compact-sm" variant={first ? "filled" : "default"} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <span className="dim">or drop them anywhere on this page: {accepted}.</span>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label === "Choose files" ? "Files of benchmark output" : label}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          // Allows the same file to be chosen again.
          event.currentTarget.value = "";
          if (files.length === 0) return;
          sender?.add(files);
          onAdded();
        }}
      />
    </Group>
  );
}

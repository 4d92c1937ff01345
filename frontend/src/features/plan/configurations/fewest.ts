import { gigabytesIn } from "@/lib/sizes";

/** Where nothing is known of the disks: as many as show that it is a cluster. */
const SOME = 10;

/**
 * The fewest nodes that hold what sorting needs on their own disks: input and output on some of them, intermediate
 * data on the others, divided as needs the fewest; a single disk holds all three.
 *
 * Only where to begin: whether that many do is for the service to say.
 *
 * @param data the input, as people write it
 * @param disks of a node
 * @param capacity_gb of all disks of a node together
 */
export function fewestNodes(data: string, disks: number, capacity_gb: number | null): number {
  const data_gb = gigabytesIn(data);
  if (data_gb === null || capacity_gb === null || capacity_gb <= 0) return SOME;
  if (disks === 1) return Math.ceil((3 * data_gb) / capacity_gb);
  const disk_gb = capacity_gb / disks;
  const divisions = Array.from({ length: disks - 1 }, (_, index) => {
    const outer = index + 1;
    return Math.ceil(Math.max((2 * data_gb) / (outer * disk_gb), data_gb / ((disks - outer) * disk_gb)));
  });
  return Math.min(...divisions);
}

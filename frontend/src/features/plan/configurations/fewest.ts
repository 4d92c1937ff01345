import { gigabytesIn } from "@/lib/sizes";

/** Default number of nodes if the disks are unknown. */
const SOME = 10;

/**
 * Compute the fewest nodes with enough local disk space for a sort: input and output on some of the disks, intermediate
 * data on the others, in the best division; a single disk holds all three.
 *
 * This is only an initial value: the API checks if it suffices.
 *
 * @param data size of the input, as typed
 * @param disks number of disks per node
 * @param capacity_gb capacity of all disks of a node
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

// Drawing the last of several movements, once a frame.

import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

interface Frame {
  /** Runs an action in the next frame, instead of one that waits. */
  run: (action: () => void) => void;
  /** Runs what waits at once. */
  flush: () => void;
  cancel: () => void;
}

/**
 * Return what runs the last of several actions in the next frame, and draws it in that frame. A browser may deliver more
 * than one movement a frame, of which only the last is seen.
 */
export function useFrame(): Frame {
  const [frame] = useState(nextFrame);
  useEffect(() => frame.cancel, [frame]);
  return frame;
}

function nextFrame(): Frame {
  let waiting: (() => void) | undefined;
  let request = 0;
  const cancel = () => {
    window.cancelAnimationFrame(request);
    waiting = undefined;
  };
  const flush = () => {
    const action = waiting;
    cancel();
    // Outside of an event React would render after the frame.
    if (action !== undefined) flushSync(action);
  };
  const run = (action: () => void) => {
    if (waiting === undefined) request = window.requestAnimationFrame(flush);
    waiting = action;
  };
  return { run, flush, cancel };
}

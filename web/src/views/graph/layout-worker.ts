// Lays the graph out beside the page, so that it can be moved and searched meanwhile. The page asks for each step.
import { ForceLayout, type LayoutInput } from './force-layout.ts';

/** The places of the nodes after some more work. */
export interface LayoutStep {
  /** x and y of each node, one after the other. */
  positions: Float32Array;
  isDone: boolean;
}

const STEP_MS = 60;
const COLD = 0.03;

let layout: ForceLayout | undefined;

self.onmessage = ({ data }: MessageEvent<LayoutInput | 'next'>) => {
  if (data !== 'next') layout = new ForceLayout(data);
  if (layout) self.postMessage(workOn(layout));
};

function workOn(layout: ForceLayout): LayoutStep {
  const until = performance.now() + STEP_MS;
  let heat = 1;
  while (performance.now() < until && heat > COLD) heat = layout.step();
  return { positions: layout.positions.slice(), isDone: heat <= COLD };
}

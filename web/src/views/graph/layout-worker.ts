// Lays the graph out beside the page, so that it can be moved and searched meanwhile.
import { ForceLayout, type LayoutInput } from './force-layout.ts';

const BATCH_MS = 60;
const COLD = 0.03;

self.onmessage = ({ data }: MessageEvent<LayoutInput>) => {
  const layout = new ForceLayout(data);
  const work = () => {
    const until = performance.now() + BATCH_MS;
    let heat = 1;
    while (performance.now() < until && heat > COLD) heat = layout.step();
    const isDone = heat <= COLD;
    self.postMessage({ positions: layout.positions.slice(), isDone });
    if (!isDone) setTimeout(work);
  };
  work();
};

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get } from '../../api/client.ts';
import type { Graph as Data } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { PageFrame } from '../../components/page.tsx';
import { SearchBox } from '../../components/search-box.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { place, setQuery } from '../../router/router.ts';
import { repaint } from '../../shell/theme.ts';
import { bounded, count } from '../../text/format.ts';
import { GraphCanvas } from './graph-canvas.ts';
import { type GraphModel, hrefOf, layoutInputOf, modelOf } from './graph-model.ts';
import { pointerOf } from './graph-pointer.ts';
import type { LayoutStep } from './layout-worker.ts';
import './graph.css';

const LIMIT = 5000;
const MAX_FOUND = 12;

/** Capabilities, the tools that they call, and the servers of the tools. */
export function Graph() {
  const graph = useResource('graph', (signal) => get<Data>('/graph', { limit: LIMIT }, signal));
  const { data } = graph;
  const q = place.value.query.get('q') ?? '';
  return (
    <PageFrame
      title="Graph"
      layout="fill"
      beside={
        data && (
          <span class="muted">
            {`${count(data.nodes.length)} nodes, ${count(data.edges.length)} edges`}
            {data.truncated && ', the most used'}
          </span>
        )
      }
      acts={<SearchBox value={q} label="Find a node" onSearch={(text) => setQuery({ q: text })} />}
    >
      <Loaded of={graph}>
        {(loaded) =>
          loaded.nodes.length === 0 ? (
            <Empty icon="graph" title="Nothing to draw yet">
              <p>Servers, their tools and the capabilities that call them appear here.</p>
            </Empty>
          ) : (
            <Drawn data={loaded} q={q} />
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function Drawn({ data, q }: { data: Data; q: string }) {
  const model = useMemo(() => modelOf(data), [data]);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const [canvas, setCanvas] = useState<GraphCanvas | null>(null);
  const found = useMemo(() => findNodes(model, q), [model, q]);
  const pointer = useMemo(() => canvas && pointerOf(canvas, model), [canvas, model]);
  useEffect(() => {
    if (!below.current || !above.current) return;
    const drawn = new GraphCanvas(below.current, above.current, model);
    setCanvas(drawn);
    const resized = new ResizeObserver(() => drawn.resize());
    resized.observe(below.current);
    const stop = layOut(model, drawn);
    return () => {
      stop();
      resized.disconnect();
      drawn.stop();
    };
  }, [model]);
  useEffect(() => canvas?.find(new Set(found)), [canvas, found]);
  const paint = repaint.value;
  // The colours may have changed.
  useEffect(() => canvas?.repaint(), [canvas, paint]);
  return (
    <div class="graph">
      <canvas ref={below} class="graph-canvas" aria-hidden="true" />
      <canvas
        ref={above}
        class="graph-canvas"
        role="img"
        aria-label={`Graph of ${count(data.nodes.length)} capabilities, tools and servers. Search finds single ones as links.`}
        {...pointer}
      />
      <Controls canvas={canvas} />
      {q && <Found model={model} found={found} canvas={canvas} />}
      <Legend />
    </div>
  );
}

/** Lays the graph out step by step. A step waits until the one before is drawn, so dragging pauses the layout. */
function layOut(model: GraphModel, canvas: GraphCanvas): () => void {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<LayoutStep>) => {
    canvas.place(data.positions, () => (data.isDone ? worker.terminate() : worker.postMessage('next')));
  };
  worker.postMessage(layoutInputOf(model));
  return () => worker.terminate();
}

function findNodes({ nodes }: GraphModel, q: string): number[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return nodes.flatMap(({ name }, number) =>
    words.every((word) => name.toLowerCase().includes(word)) ? [number] : [],
  );
}

function Controls({ canvas }: { canvas: GraphCanvas | null }) {
  return (
    <div class="graph-controls" role="group" aria-label="View">
      <button
        type="button"
        class="button small"
        aria-label="Zoom in"
        onClick={() => canvas?.zoomAtCentre(1.4)}
      >
        +
      </button>
      <button
        type="button"
        class="button small"
        aria-label="Zoom out"
        onClick={() => canvas?.zoomAtCentre(1 / 1.4)}
      >
        −
      </button>
      <button type="button" class="button small" onClick={() => canvas?.fit()}>
        Fit
      </button>
    </div>
  );
}

function Found({ model, found, canvas }: { model: GraphModel; found: number[]; canvas: GraphCanvas | null }) {
  return (
    <div class="graph-found popover" role="region" aria-label="Found nodes">
      <p class="muted small">
        {found.length === 0 ? 'No node has this name.' : `${count(found.length)} found`}
      </p>
      {found.slice(0, MAX_FOUND).map((number) => {
        const node = model.nodes[number];
        return (
          node && (
            <a
              class="hit"
              key={node.id}
              href={hrefOf(node)}
              onFocus={() => canvas?.show(number)}
              onPointerEnter={() => canvas?.show(number)}
            >
              <span class={`dot ${node.kind}`} />
              <span class="truncate">{bounded(node.name, 80)}</span>
            </a>
          )
        );
      })}
    </div>
  );
}

function Legend() {
  return (
    <ul class="graph-legend" aria-label="Kinds of nodes">
      <li>
        <span class="dot capability" /> capability
      </li>
      <li>
        <span class="dot tool" /> tool
      </li>
      <li>
        <span class="dot server" /> server
      </li>
    </ul>
  );
}

import { useEffect, useState } from 'preact/hooks';
import type { Capability } from '../../api/types.ts';
import { Card } from '../../components/page.tsx';
import { Empty, Skeleton } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import { bounded, count } from '../../text/format.ts';
import { hrefOf } from './details.tsx';

interface Node {
  id: string;
  name: string;
  kind: 'self' | 'tool' | 'capability';
  href: string;
}
interface Placed extends Node {
  x: number;
  y: number;
}
interface Drawing {
  width: number;
  height: number;
  nodes: Placed[];
  edges: string[];
}

const WIDTH = 210;
const HEIGHT = 34;
const MAX_NODES = 60;

/** The callers, the capability and its callees, from left to right. */
export function Neighbours({ record }: { record: Capability }) {
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  const callers = record.used_by.slice(0, MAX_NODES);
  const callees = record.uses.slice(0, MAX_NODES);
  // It is drawn anew when the capability calls something else.
  useEffect(() => {
    let isGone = false;
    void draw(record, callers, callees).then((done) => !isGone && setDrawing(done));
    return () => {
      isGone = true;
    };
  }, [record.revision]);
  const left = record.used_by_total + record.uses_total - callers.length - callees.length;
  if (callers.length + callees.length === 0) {
    return (
      <Empty icon="graph" title="It stands alone">
        <p>It calls nothing, and nothing calls it.</p>
      </Empty>
    );
  }
  return (
    <Card
      title="What calls it, and what it calls"
      beside={left > 0 && <span class="muted">{count(left)} more not drawn</span>}
    >
      {drawing ? <Picture drawing={drawing} /> : <Skeleton lines={5} />}
    </Card>
  );
}

function Picture({ drawing }: { drawing: Drawing }) {
  return (
    <div class="neighbours" tabIndex={0} role="region" aria-label="Graph of calls">
      <svg width={drawing.width} height={drawing.height} viewBox={`0 0 ${drawing.width} ${drawing.height}`}>
        <title>Graph of calls</title>
        {drawing.edges.map((path) => (
          <path class="edge" d={path} key={path} />
        ))}
        {drawing.nodes.map(({ id, name, kind, href, x, y }) => (
          <a
            href={href}
            key={id}
            class={`node ${kind}`}
            aria-label={`${kind === 'self' ? 'This capability' : kind}: ${name}`}
          >
            <title>{name}</title>
            <rect x={x - WIDTH / 2} y={y - HEIGHT / 2} width={WIDTH} height={HEIGHT} rx={7} />
            <text x={x} y={y + 4} text-anchor="middle">
              {bounded(name, 30)}
            </text>
          </a>
        ))}
      </svg>
    </div>
  );
}

async function draw(
  record: Capability,
  callers: Capability['used_by'],
  callees: Capability['uses'],
): Promise<Drawing> {
  const { graphlib, layout } = (await import('@dagrejs/dagre')).default;
  const graph = new graphlib.Graph().setGraph({
    rankdir: 'LR',
    nodesep: 12,
    ranksep: 70,
    marginx: 8,
    marginy: 8,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const nodes: Node[] = [
    { id: 'self', name: record.name, kind: 'self', href: to('capabilities', record.id) },
    ...callers.map(
      ({ id, name }): Node => ({ id: `from ${id}`, name, kind: 'capability', href: to('capabilities', id) }),
    ),
    ...callees.map(({ id, name, kind }): Node => ({ id: `to ${name}`, name, kind, href: hrefOf(name, id) })),
  ];
  for (const { id } of nodes) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  for (const { id } of nodes) {
    if (id.startsWith('from ')) graph.setEdge(id, 'self');
    if (id.startsWith('to ')) graph.setEdge('self', id);
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const placed = nodes.map(
    (node): Placed => ({ ...node, ...(graph.node(node.id) as { x: number; y: number }) }),
  );
  const self = placed[0] as Placed;
  const edges = placed
    .slice(1)
    .map((node) => (node.id.startsWith('from ') ? curve(node, self) : curve(self, node)));
  return { width, height, nodes: placed, edges };
}

/** From the right side of one box to the left side of the other. */
function curve(from: Placed, to: Placed): string {
  const [left, right] = [from.x + WIDTH / 2, to.x - WIDTH / 2];
  const middle = (left + right) / 2;
  return `M${left},${from.y} C${middle},${from.y} ${middle},${to.y} ${right},${to.y}`;
}

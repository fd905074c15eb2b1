import { colour } from '../../shell/theme.ts';
import { visible } from '../../text/visible.ts';
import type { GraphModel } from './graph-model.ts';

export interface View {
  x: number;
  y: number;
  scale: number;
}

/** A graph, the places of its nodes, and the part of it that a canvas shows. */
export interface Scene {
  model: GraphModel;
  /** x and y of each node, one after the other. */
  positions: Float32Array;
  view: View;
  width: number;
  height: number;
}

const MAX_LABELS = 60;
const KINDS = { server: 'series-3', capability: 'series-1', tool: 'text-3' } as const;
/** A node that is only a little beyond the canvas may still show a part of its name. */
const MARGIN = 50;

/** Draws the part of a graph that is in view. */
export function drawGraph(context: CanvasRenderingContext2D, scene: Scene): void {
  drawEdges(context, scene);
  for (const [kind, name] of Object.entries(KINDS)) drawNodes(context, scene, kind, colour(name));
  drawLabels(context, scene);
}

/** Draws a node with its neighbours, and circles around the nodes that were searched for. */
export function drawPointed(
  context: CanvasRenderingContext2D,
  scene: Scene,
  pointed: number,
  found: ReadonlySet<number>,
): void {
  if (found.size > 0) {
    context.beginPath();
    for (const node of found) addCircle(context, scene, node, 3);
    context.strokeStyle = colour('warn');
    context.lineWidth = 2;
    context.stroke();
  }
  if (pointed < 0) return;
  const [x, y] = pointOf(scene, pointed);
  const neighbours = scene.model.neighbours[pointed] ?? [];
  context.beginPath();
  for (const other of neighbours) {
    context.moveTo(x, y);
    context.lineTo(...pointOf(scene, other));
  }
  context.strokeStyle = colour('accent');
  context.lineWidth = 1.5;
  context.stroke();
  context.beginPath();
  for (const node of [pointed, ...neighbours]) addCircle(context, scene, node, 1);
  context.fillStyle = colour('accent');
  context.fill();
  drawNames(context, scene, neighbours.slice(0, 20), colour('text-2'));
  drawNames(context, scene, [pointed], colour('text'));
}

/** Returns the number of the node at a point of the canvas, or -1. */
export function nodeAt(scene: Scene, x: number, y: number): number {
  let best = -1;
  let nearest = 14;
  for (let node = 0; node < scene.model.nodes.length; node++) {
    const [nodeX, nodeY] = pointOf(scene, node);
    const distance = Math.hypot(nodeX - x, nodeY - y) - radiusOf(scene, node);
    if (distance < nearest) [best, nearest] = [node, distance];
  }
  return nearest < 5 ? best : -1;
}

/** All edges are one path: a canvas strokes one path of 5,000 lines faster than 5,000 paths of one. */
function drawEdges(context: CanvasRenderingContext2D, scene: Scene): void {
  const { edges } = scene.model;
  context.beginPath();
  for (let at = 0; at < edges.length; at += 2) {
    const from = pointOf(scene, edges[at] as number);
    const to = pointOf(scene, edges[at + 1] as number);
    if (isBeyond(scene, from, to)) continue;
    context.moveTo(...from);
    context.lineTo(...to);
  }
  context.strokeStyle = colour('line-strong');
  context.globalAlpha = edges.length > 6000 ? 0.25 : 0.6;
  context.lineWidth = 0.8;
  context.stroke();
  context.globalAlpha = 1;
}

function drawNodes(context: CanvasRenderingContext2D, scene: Scene, kind: string, fill: string): void {
  context.beginPath();
  for (const [node, { kind: own }] of scene.model.nodes.entries())
    if (own === kind && isInView(scene, node)) addCircle(context, scene, node, 0);
  context.fillStyle = fill;
  context.fill();
}

/** Names the largest nodes in view, as many as can be read. */
function drawLabels(context: CanvasRenderingContext2D, scene: Scene): void {
  const largest = scene.model.bySize
    .values()
    .filter((node) => isInView(scene, node))
    .take(MAX_LABELS);
  const taken: [number, number][] = [];
  const legible = largest.filter((node) => {
    const [x, y] = pointOf(scene, node);
    if (taken.some(([tx, ty]) => Math.abs(tx - x) < 110 && Math.abs(ty - y) < 15)) return false;
    return taken.push([x, y]);
  });
  drawNames(context, scene, legible, colour('text-2'));
}

function drawNames(
  context: CanvasRenderingContext2D,
  scene: Scene,
  nodes: Iterable<number>,
  fill: string,
): void {
  context.font = '11px system-ui';
  context.textAlign = 'center';
  context.lineWidth = 3;
  context.strokeStyle = colour('bg');
  context.fillStyle = fill;
  for (const node of nodes) {
    const [x, y] = pointOf(scene, node);
    const text = visible((scene.model.nodes[node]?.name ?? '').slice(0, 40));
    const top = y + radiusOf(scene, node) + 12;
    context.strokeText(text, x, top);
    context.fillText(text, x, top);
  }
}

function addCircle(context: CanvasRenderingContext2D, scene: Scene, node: number, more: number): void {
  const [x, y] = pointOf(scene, node);
  const radius = radiusOf(scene, node) + more;
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

function pointOf({ positions, view: { x, y, scale } }: Scene, node: number): [number, number] {
  return [(positions[2 * node] as number) * scale + x, (positions[2 * node + 1] as number) * scale + y];
}

/** Nodes grow and shrink less than the view. */
function radiusOf({ model, view }: Scene, node: number): number {
  return (model.radii[node] as number) * Math.max(0.35, Math.min(1.4, view.scale));
}

function isInView(scene: Scene, node: number): boolean {
  const point = pointOf(scene, node);
  return !isBeyond(scene, point, point);
}

/** Whether a line lies wholly beyond one side of the canvas. */
function isBeyond(
  { width, height }: Scene,
  [fromX, fromY]: [number, number],
  [toX, toY]: [number, number],
): boolean {
  return (
    Math.max(fromX, toX) < -MARGIN ||
    Math.max(fromY, toY) < -MARGIN ||
    Math.min(fromX, toX) > width + MARGIN ||
    Math.min(fromY, toY) > height + MARGIN
  );
}

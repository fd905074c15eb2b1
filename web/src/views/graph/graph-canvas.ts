import { colour } from '../../shell/theme.ts';
import { visible } from '../../text/visible.ts';
import type { GraphModel } from './graph-model.ts';

interface View {
  x: number;
  y: number;
  scale: number;
}

const SETTLE_MS = 120;
const MAX_LABELS = 60;
const KINDS = { server: 'series-3', capability: 'series-1', tool: 'text-3' } as const;

/**
 * Draws a graph on two canvases: the whole graph below, what is pointed at above. While the view moves, the last drawing is
 * moved as a picture, so that a frame costs the same at 50 and at 5,000 nodes; it is drawn sharp when the view rests.
 */
export class GraphCanvas {
  readonly #below: HTMLCanvasElement;
  readonly #above: HTMLCanvasElement;
  readonly #picture = document.createElement('canvas');
  readonly #model: GraphModel;
  #positions: Float32Array = new Float32Array();
  #view: View = { x: 0, y: 0, scale: 1 };
  #pictureView: View = { x: 0, y: 0, scale: 1 };
  #frame = 0;
  #settle = 0;
  #isMoving = false;
  #pointed = -1;
  #found: ReadonlySet<number> = new Set();
  /** The reader moved the view, so it no longer follows the layout. */
  hasMoved = false;

  constructor(below: HTMLCanvasElement, above: HTMLCanvasElement, model: GraphModel) {
    this.#below = below;
    this.#above = above;
    this.#model = model;
  }

  place(positions: Float32Array): void {
    this.#positions = positions;
    if (!this.hasMoved) this.fit();
    else this.repaint();
  }

  /** Shows the whole graph. */
  fit(): void {
    const { width, height } = this.#size();
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < this.#positions.length; at += 2) {
      const [x, y] = [this.#positions[at] as number, this.#positions[at + 1] as number];
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
    if (left > right) return;
    const scale = Math.min(2, width / (right - left + 120), height / (bottom - top + 120));
    this.#view = {
      scale,
      x: width / 2 - ((left + right) / 2) * scale,
      y: height / 2 - ((top + bottom) / 2) * scale,
    };
    this.repaint();
  }

  pan(dx: number, dy: number): void {
    this.hasMoved = true;
    this.#view = { ...this.#view, x: this.#view.x + dx, y: this.#view.y + dy };
    this.#moved();
  }

  /** Zooms around a point of the canvas. */
  zoom(factor: number, x: number, y: number): void {
    this.hasMoved = true;
    const scale = Math.max(0.02, Math.min(8, this.#view.scale * factor));
    const real = scale / this.#view.scale;
    this.#view = { scale, x: x - (x - this.#view.x) * real, y: y - (y - this.#view.y) * real };
    this.#moved();
  }

  zoomAtCentre(factor: number): void {
    const { width, height } = this.#size();
    this.zoom(factor, width / 2, height / 2);
  }

  /** Returns the number of the node at a point, or -1. */
  nodeAt(x: number, y: number): number {
    const { x: left, y: top, scale } = this.#view;
    let best = -1;
    let nearest = 14;
    for (let node = 0; node < this.#model.nodes.length; node++) {
      const dx = (this.#positions[2 * node] as number) * scale + left - x;
      const dy = (this.#positions[2 * node + 1] as number) * scale + top - y;
      const distance = Math.hypot(dx, dy) - (this.#model.radii[node] as number) * this.#nodeScale();
      if (distance < nearest) [best, nearest] = [node, distance];
    }
    return nearest < 5 ? best : -1;
  }

  point(node: number): void {
    if (node === this.#pointed) return;
    this.#pointed = node;
    this.#request();
  }

  find(found: ReadonlySet<number>): void {
    this.#found = found;
    this.#request();
  }

  /** Moves the view to a node. */
  show(node: number): void {
    const { width, height } = this.#size();
    const scale = Math.max(this.#view.scale, 1.2);
    const [x, y] = [this.#positions[2 * node] as number, this.#positions[2 * node + 1] as number];
    this.hasMoved = true;
    this.#view = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
    this.#pointed = node;
    this.repaint();
  }

  /** Draws all anew, for another size, other colours or other places. */
  repaint(): void {
    this.#isMoving = false;
    this.#request();
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settle);
  }

  #moved(): void {
    this.#isMoving = true;
    clearTimeout(this.#settle);
    this.#settle = window.setTimeout(() => this.repaint(), SETTLE_MS);
    this.#request();
  }

  #request(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.#isMoving) this.#movePicture();
    else this.#drawGraph();
    this.#drawPointed();
  }

  #size(): { width: number; height: number } {
    return { width: this.#below.clientWidth, height: this.#below.clientHeight };
  }

  #nodeScale(): number {
    return Math.max(0.35, Math.min(1.4, this.#view.scale));
  }

  #movePicture(): void {
    const context = begin(this.#below);
    const by = this.#view.scale / this.#pictureView.scale;
    context.translate(this.#view.x - this.#pictureView.x * by, this.#view.y - this.#pictureView.y * by);
    context.scale(by, by);
    context.drawImage(
      this.#picture,
      0,
      0,
      this.#picture.width / devicePixelRatio,
      this.#picture.height / devicePixelRatio,
    );
  }

  #drawGraph(): void {
    const context = begin(this.#below);
    this.#drawEdges(context);
    for (const [kind, name] of Object.entries(KINDS)) this.#drawNodes(context, kind, colour(name));
    this.#drawLabels(context);
    this.#picture.width = this.#below.width;
    this.#picture.height = this.#below.height;
    this.#picture.getContext('2d')?.drawImage(this.#below, 0, 0);
    this.#pictureView = this.#view;
  }

  #drawEdges(context: CanvasRenderingContext2D): void {
    const { x, y, scale } = this.#view;
    const { edges } = this.#model;
    context.beginPath();
    for (let at = 0; at < edges.length; at += 2) {
      const [from, to] = [edges[at] as number, edges[at + 1] as number];
      context.moveTo(
        (this.#positions[2 * from] as number) * scale + x,
        (this.#positions[2 * from + 1] as number) * scale + y,
      );
      context.lineTo(
        (this.#positions[2 * to] as number) * scale + x,
        (this.#positions[2 * to + 1] as number) * scale + y,
      );
    }
    context.strokeStyle = colour('line-strong');
    context.globalAlpha = edges.length > 6000 ? 0.25 : 0.6;
    context.lineWidth = 0.8;
    context.stroke();
    context.globalAlpha = 1;
  }

  #drawNodes(context: CanvasRenderingContext2D, kind: string, fill: string): void {
    context.beginPath();
    for (const [node, { kind: own }] of this.#model.nodes.entries())
      if (own === kind) this.#addCircle(context, node, 0);
    context.fillStyle = fill;
    context.fill();
  }

  #addCircle(context: CanvasRenderingContext2D, node: number, more: number): void {
    const [x, y] = this.#pointOf(node);
    const radius = (this.#model.radii[node] as number) * this.#nodeScale() + more;
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }

  #pointOf(node: number): [number, number] {
    const { x, y, scale } = this.#view;
    return [
      (this.#positions[2 * node] as number) * scale + x,
      (this.#positions[2 * node + 1] as number) * scale + y,
    ];
  }

  /** Names the largest nodes in view, as many as can be read. */
  #drawLabels(context: CanvasRenderingContext2D): void {
    const { width, height } = this.#size();
    const inView = this.#model.nodes.keys().filter((node) => {
      const [x, y] = this.#pointOf(node);
      return x > -50 && y > -20 && x < width + 50 && y < height + 20;
    });
    const largest = [...inView].sort(
      (a, b) => (this.#model.radii[b] as number) - (this.#model.radii[a] as number),
    );
    const taken: [number, number][] = [];
    for (const node of largest.slice(0, MAX_LABELS)) {
      const [x, y] = this.#pointOf(node);
      if (taken.some(([tx, ty]) => Math.abs(tx - x) < 110 && Math.abs(ty - y) < 15)) continue;
      taken.push([x, y]);
      this.#drawLabel(context, node, colour('text-2'));
    }
  }

  #drawLabel(context: CanvasRenderingContext2D, node: number, fill: string): void {
    const [x, y] = this.#pointOf(node);
    const text = visible((this.#model.nodes[node]?.name ?? '').slice(0, 40));
    const top = y + (this.#model.radii[node] as number) * this.#nodeScale() + 12;
    context.font = '11px system-ui';
    context.textAlign = 'center';
    context.lineWidth = 3;
    context.strokeStyle = colour('bg');
    context.strokeText(text, x, top);
    context.fillStyle = fill;
    context.fillText(text, x, top);
  }

  /** Draws what is pointed at with its neighbours, and what was searched for. */
  #drawPointed(): void {
    const context = begin(this.#above);
    if (this.#found.size > 0) {
      context.beginPath();
      for (const node of this.#found) this.#addCircle(context, node, 3);
      context.strokeStyle = colour('warn');
      context.lineWidth = 2;
      context.stroke();
    }
    if (this.#pointed < 0) return;
    const [x, y] = this.#pointOf(this.#pointed);
    const neighbours = this.#model.neighbours[this.#pointed] ?? [];
    context.beginPath();
    for (const other of neighbours) {
      context.moveTo(x, y);
      context.lineTo(...this.#pointOf(other));
    }
    context.strokeStyle = colour('accent');
    context.lineWidth = 1.5;
    context.stroke();
    context.beginPath();
    for (const node of [this.#pointed, ...neighbours]) this.#addCircle(context, node, 1);
    context.fillStyle = colour('accent');
    context.fill();
    for (const node of neighbours.slice(0, 20)) this.#drawLabel(context, node, colour('text-2'));
    this.#drawLabel(context, this.#pointed, colour('text'));
  }
}

/** Clears a canvas at the size and density it is shown with. */
function begin(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const [width, height] = [canvas.clientWidth * devicePixelRatio, canvas.clientHeight * devicePixelRatio].map(
    Math.round,
  );
  if (canvas.width !== width) canvas.width = width as number;
  if (canvas.height !== height) canvas.height = height as number;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  return context;
}

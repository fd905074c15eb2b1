import { drawGraph, drawPointed, nodeAt, type Scene, type View } from './draw-graph.ts';
import type { GraphModel } from './graph-model.ts';

const SETTLE_MS = 120;

/**
 * Shows a graph on two canvases: the whole graph below, what is pointed at above. While the view moves, the last drawing is
 * moved as a picture, so that a frame costs the same at 50 and at 5,000 nodes; it is drawn sharp when the view rests.
 */
export class GraphCanvas {
  readonly #below: HTMLCanvasElement;
  readonly #above: HTMLCanvasElement;
  readonly #picture = document.createElement('canvas');
  readonly #model: GraphModel;
  #positions: Float32Array = new Float32Array();
  /** Places that are drawn once the view rests and nobody holds it. */
  #next: { positions: Float32Array; drawn: () => void } | undefined;
  #view: View = { x: 0, y: 0, scale: 1 };
  #pictureView: View = { x: 0, y: 0, scale: 1 };
  #frame = 0;
  #settle = 0;
  /** Whether the canvas below shows the present view; pointing at a node changes only the canvas above. */
  #isCurrent = false;
  #isMoving = false;
  #isHeld = false;
  #pointed = -1;
  #found: ReadonlySet<number> = new Set();
  /** The reader moved the view, so it no longer follows the layout. */
  #hasMoved = false;

  constructor(below: HTMLCanvasElement, above: HTMLCanvasElement, model: GraphModel) {
    this.#below = below;
    this.#above = above;
    this.#model = model;
  }

  /** Draws the nodes at other places, and then calls back. Waits while the reader moves or holds the view. */
  place(positions: Float32Array, drawn: () => void): void {
    this.#next = { positions, drawn };
    this.#request();
  }

  /** Keeps all nodes where they are until `release`: nothing may move under the pointer that drags. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#request();
  }

  /** Shows the whole graph. */
  fit(): void {
    this.#fit();
    this.repaint();
  }

  pan(dx: number, dy: number): void {
    this.#view = { ...this.#view, x: this.#view.x + dx, y: this.#view.y + dy };
    this.#moved();
  }

  /** Zooms around a point of the canvas. */
  zoom(factor: number, x: number, y: number): void {
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
    return nodeAt(this.#scene(), x, y);
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
    this.#hasMoved = true;
    this.#view = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
    this.#pointed = node;
    this.repaint();
  }

  /** Fits the canvas to another size. */
  resize(): void {
    if (this.#hasMoved) this.repaint();
    else this.fit();
  }

  /** Draws all anew, for other colours or another view. */
  repaint(): void {
    this.#isMoving = false;
    this.#isCurrent = false;
    this.#request();
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settle);
  }

  #moved(): void {
    this.#hasMoved = true;
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
    const next = this.#isMoving || this.#isHeld ? undefined : this.#next;
    if (next) this.#take(next.positions);
    if (this.#isMoving) this.#movePicture();
    else if (!this.#isCurrent) this.#drawGraph();
    drawPointed(begin(this.#above), this.#scene(), this.#pointed, this.#found);
    next?.drawn();
  }

  #take(positions: Float32Array): void {
    this.#next = undefined;
    this.#positions = positions;
    this.#isCurrent = false;
    if (!this.#hasMoved) this.#fit();
  }

  #fit(): void {
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
  }

  #size(): { width: number; height: number } {
    return { width: this.#below.clientWidth, height: this.#below.clientHeight };
  }

  #scene(): Scene {
    return { model: this.#model, positions: this.#positions, view: this.#view, ...this.#size() };
  }

  #movePicture(): void {
    const context = begin(this.#below);
    const by = this.#view.scale / this.#pictureView.scale;
    context.translate(this.#view.x - this.#pictureView.x * by, this.#view.y - this.#pictureView.y * by);
    context.scale(by, by);
    const { width, height } = this.#picture;
    context.drawImage(this.#picture, 0, 0, width / devicePixelRatio, height / devicePixelRatio);
  }

  #drawGraph(): void {
    drawGraph(begin(this.#below), this.#scene());
    this.#picture.width = this.#below.width;
    this.#picture.height = this.#below.height;
    this.#picture.getContext('2d')?.drawImage(this.#below, 0, 0);
    this.#pictureView = this.#view;
    this.#isCurrent = true;
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

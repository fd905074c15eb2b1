import { navigate } from '../../router/router.ts';
import type { GraphCanvas } from './graph-canvas.ts';
import { type GraphModel, hrefOf } from './graph-model.ts';

/** Drag moves, the wheel zooms, a click opens. */
export function pointerOf(canvas: GraphCanvas, model: GraphModel) {
  let from: { x: number; y: number } | null = null;
  let hasDragged = false;
  const end = () => {
    from = null;
    canvas.release();
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      from = { x: event.clientX, y: event.clientY };
      hasDragged = false;
      canvas.hold();
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      if (!from) return canvas.point(canvas.nodeAt(event.offsetX, event.offsetY));
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!hasDragged && Math.hypot(dx, dy) < 4) return;
      hasDragged = true;
      from = { x: event.clientX, y: event.clientY };
      canvas.pan(dx, dy);
    },
    onPointerUp: (event: PointerEvent) => {
      end();
      const node = hasDragged ? undefined : model.nodes[canvas.nodeAt(event.offsetX, event.offsetY)];
      if (node) navigate(hrefOf(node));
    },
    onPointerCancel: end,
    onPointerLeave: () => canvas.point(-1),
    onWheel: (event: WheelEvent) => {
      event.preventDefault();
      canvas.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    },
  };
}

import type { writeSync } from 'node:fs';

const STDOUT = 1;

/** Writes frames to the host, bypassing Node's streams, which take longer than all else that the child does for a short run. */
export function frameWriter(write: typeof writeSync, onGone: () => void): (frame: Buffer) => void {
  return (frame) => {
    try {
      for (let at = 0; at < frame.length; ) at += write(STDOUT, frame, at);
    } catch {
      onGone();
    }
  };
}

import { useEffect, useRef } from 'preact/hooks';

/** Returns a function that acts once, a while after it was first called: many events become one reading. */
export function useThrottled(act: () => void, ms: number): () => void {
  const timer = useRef<number | undefined>(undefined);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, ms);
  };
}

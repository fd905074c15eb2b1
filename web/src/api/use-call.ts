import { useState } from 'preact/hooks';
import { post } from './client.ts';

export interface Call<T> {
  isBusy: boolean;
  answer: T | null;
  problem: Error | null;
  /** Calls with these arguments. The last answer stays until there is another. */
  run: (args: Record<string, unknown>) => void;
}

/** Calls something of the gateway with arguments that a person gives, and keeps the latest answer. */
export function useCall<T>(path: string): Call<T> {
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<T | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const run = async (args: Record<string, unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      setAnswer(await post<T>(path, { args }));
    } catch (error) {
      setAnswer(null);
      setProblem(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, answer, problem, run: (args) => void run(args) };
}

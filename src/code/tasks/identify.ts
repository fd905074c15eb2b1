import { flowFormsOf } from '../flow/flow.ts';
import type { FlowForm } from '../flow/print-form.ts';
import { foldName } from '../references/suggest-names.ts';

export interface IdentifyOptions {
  /** The canonical names of what the code calls. */
  readonly callees: readonly string[];
  /** The arguments that replaced data. */
  readonly data: readonly string[];
}

/** Reads what stored code does; empty if it does something that is not followed. */
export function identify(source: string, { callees, data }: IdentifyOptions): readonly FlowForm[] {
  const canonical = new Map(callees.map((name) => [foldName(name), name]));
  const isData = new Set(data);
  const flow = flowFormsOf(source, {
    nameOf: (name) => canonical.get(foldName(name)) ?? name,
    isData: (name) => isData.has(name),
  });
  return flow?.forms ?? [];
}

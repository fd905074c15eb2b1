import type { Budget } from '../../budget.ts';
import type { Routing } from '../record/capability.ts';
import type { BundledCapability } from './bundle-schema.ts';
import type { TrustedKeys } from './trusted-keys.ts';
import type { NamesInCode } from './validate.ts';

/** The tools that are connected where a bundle is imported. */
export interface LocalTools {
  /** Fails if a real tool has this name. */
  refuse(name: string): void;
  /** Finds a tool by any spelling. */
  toolOf(spelling: string): { name: string; routing: Routing } | undefined;
  hasServer(name: string): boolean;
}

export interface ImportOptions {
  trusted: TrustedKeys;
  localTools: LocalTools;
  /** The fingerprint of a key to trust this once; with `always`, from now on. */
  trust?: string | undefined;
  always?: boolean | undefined;
  /** New names, by the names in the bundle. */
  rename?: Readonly<Record<string, string>> | undefined;
  /** Put before every name that is not in `rename`. */
  prefix?: string | undefined;
  /** Do everything, then roll back. */
  dryRun?: boolean | undefined;
}

/** A validated bundle, ready to be stored. Origins are the FQDNs in the bundle. */
export interface ImportPlan {
  byFqdn: ReadonlyMap<string, BundledCapability>;
  inCode: NamesInCode;
  /** The names to give, by origin; none for unnamed capabilities. */
  names: ReadonlyMap<string, string>;
  localTools: LocalTools;
  /** Bounds the cost of judging all calls of the bundle. */
  budget: Budget;
}

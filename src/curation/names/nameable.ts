import type { JsonSchema } from '../../json.ts';

/** A capability to be named, with all that a name can be made of. */
export interface Nameable {
  readonly id: string;
  readonly currentName: string;
  /** The description, or the intent it was made with. */
  readonly intent: string;
  readonly code: string;
  /** Tools as the code's references name them: `server:tool`, or the FQDN of a capability. */
  readonly toolsUsed: readonly string[];
  readonly parameters: JsonSchema;
  /** Other intents that it was used with. */
  readonly examples?: readonly string[];
  readonly outputSchema?: JsonSchema;
}

export interface Suggestion {
  readonly id: string;
  /** `namespace:action`, valid by the registry's format. */
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
  readonly parameterDescriptions: Record<string, string>;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reasoning: string;
}

/** How the existing names are written. */
export interface NamingStyle {
  readonly separator: '_' | '-';
  /** The namespaces in use, the most used first. */
  readonly namespaces: readonly string[];
}

/** Tells whether a name is in use. */
export type IsTaken = (name: string) => boolean;

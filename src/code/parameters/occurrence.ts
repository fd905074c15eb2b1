import type { Json } from '../../json.ts';
import type { Node } from '../syntax/ast.ts';
import type { CallPlace } from './call-places.ts';
import type { ClassifiedLiteral } from './extract-secrets.ts';
import type { Role } from './literal-roles.ts';
import type { SqlConstant } from './sql-texts.ts';

/** A literal or written-out list of a program, and all that is known of it before anything is changed. */
export interface Occurrence {
  readonly node: Node;
  readonly value: Json;
  readonly role: Role;
  /** Where calls get it as it is. */
  readonly places: readonly CallPlace[];
  /** True if a tool that may write demands it, alone or as a part of a text. */
  readonly isDemanded: boolean;
  readonly classified: ClassifiedLiteral;
  /** False where no expression may stand, or where `args` means something else. */
  readonly isReplaceable: boolean;
  /** Set for a constant within an SQL text; then `node` has its span alone. */
  readonly sql?: SqlConstant;
}

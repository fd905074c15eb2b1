/**
 * How sentences about code begin. Each pattern is a list of words: `a|b` is one of them, `x?` may be missing, `*` stands for
 * fewer than `MAX_GAP` words (match-opening.ts). A pattern of kind `skip` is removed, and what follows is read as a sentence of its own.
 */
export type OpeningKind = 'skip' | 'assertion' | 'predicate' | 'question' | 'collection';

interface Opening {
  readonly kind: OpeningKind;
  readonly patterns: readonly string[];
}

const CHECK =
  'check|checks|test|tests|determine|determines|verify|verifies|see|tell|tells|indicates|evaluates|evaluate|detects|detect|get|gets|validates|validate';
const RETURN = 'return|returns|gives|give|yields|produces';
const MAKE =
  'create|creates|make|makes|build|builds|return|returns|construct|constructs|generates|generate|wraps';
const CONTAINER = 'array|list|object|string|set|map|copy|version|result|value|instance|collection|clone';

export const OPENINGS: readonly Opening[] = [
  {
    kind: 'skip',
    patterns: [
      'please|kindly|also|now|then|finally|okay|ok|hello|hi|so',
      'first|next|last|lastly ,',
      'can|could|would|will you please|kindly|also? help? me? to? please?',
      'can|could|may i|we please? get|have?',
      'help me|us to?',
      'i|we want|need|have|wish|plan|am|would|d like|love|prefer|going|keen|trying? you? to',
      'i|we need|want|require',
      'let us?|me? s?',
      'go ahead and',
      'make sure to|that',
      'this function|method|hook|procedure|tool|capability|script|task|code|one is? used? to?',
      'the function',
      'a? simple? helper|utility|shortcut|convenience|factory|generic|middleware|shorthand function|method? to|for|that|which',
      'function|method|hook|procedure|script|code|middleware|tool to|for|that|which',
      'a|an function|method|hook that|which|to',
      'used to|for|by|as',
      'allow|allows|enable|enables|let|lets you|users|one to',
      'try|tries|attempt|attempts to',
      'is|are used to',
      'when is|are',
      'what is|are',
      'same|similar as|to',
      'for',
      'never',
      'given * , then?',
      'take|takes|accept|accepts|receives|receive * , and? return|returns',
      'take|takes|accept|accepts|receives|receive|retrieves * and return|returns',
      `${MAKE} a|an new? composed|curried|wrapped? function|predicate|middleware|comparator|handler that|which|to will? always?`,
      `${RETURN} the result of`,
    ],
  },
  { kind: 'assertion', patterns: ['asserts|assert|ensures|ensure|validates|validate that'] },
  {
    kind: 'predicate',
    patterns: [
      `${CHECK} if|whether or? not?`,
      `${RETURN} the? true|false if|when|iff|whether`,
      `${RETURN} whether or? not?`,
      `${RETURN} a? boolean indicating|if|whether if|whether`,
      'whether or? not?',
      'if',
    ],
  },
  { kind: 'question', patterns: ['is|are|does|do|has the|a|an|this|these|two|all'] },
  {
    kind: 'collection',
    patterns: [
      `${MAKE}|get|gets|retrieves|retrieve a|an|the new? shallow|partial|single|sorted? ${CONTAINER} of|with|containing|composed|consisting|where|from|that|which|whose|by|having|made|comprising of?|by?`,
    ],
  },
];

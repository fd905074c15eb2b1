/** Functions of the language that only compute, by the path that code writes. */
export const PURE_FUNCTIONS: ReadonlySet<string> = new Set(
  `Array.from Array.isArray Array.of Boolean JSON.parse JSON.stringify Math.abs Math.ceil Math.floor Math.max Math.min Math.pow
  Math.round Math.sign Math.sqrt Math.trunc Number Number.isFinite Number.isInteger Number.isNaN Number.parseFloat Number.parseInt
  Object.entries Object.fromEntries Object.keys Object.values String atob btoa decodeURIComponent encodeURIComponent isFinite isNaN
  parseFloat parseInt structuredClone`.split(/\s+/),
);

/** Constructors whose results may only be read: a call of a mutating method, such as `map.set`, is not followed. */
export const PURE_CONSTRUCTORS: ReadonlySet<string> = new Set(
  'Date Error Map RangeError RegExp Set SyntaxError TypeError URL URLSearchParams'.split(' '),
);

/** Functions whose result differs from call to call. */
export const NONDETERMINISTIC_FUNCTIONS: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'crypto.randomUUID',
]);

export const NAMESPACES: ReadonlySet<string> = new Set(
  'Array Boolean Date JSON Math Number Object Promise String console crypto'.split(' '),
);

export const CONSTANTS: ReadonlySet<string> = new Set([
  'Infinity',
  'NaN',
  'Math.E',
  'Math.PI',
  'Number.EPSILON',
  'Number.MAX_SAFE_INTEGER',
  'Number.MIN_SAFE_INTEGER',
]);

/** Methods of data that change neither their object nor anything else. */
export const PURE_METHODS: ReadonlySet<string> = new Set(
  `at charAt charCodeAt codePointAt concat endsWith entries every filter find findIndex findLast findLastIndex flat flatMap get
  getDate getDay getFullYear getHours getMinutes getMonth getSeconds getTime getUTCDate getUTCDay getUTCFullYear getUTCHours
  getUTCMinutes has includes indexOf join keys lastIndexOf localeCompare map match matchAll normalize padEnd padStart reduce
  reduceRight repeat replace replaceAll search slice some split startsWith substring test toFixed toISOString toJSON
  toLocaleLowerCase toLocaleString toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toString toUpperCase
  trim trimEnd trimStart valueOf values with`.split(/\s+/),
);

/** Methods that change an array; harmless on one that nothing else holds, as in `a.filter(…).sort()`. */
export const MUTATING_METHODS: ReadonlySet<string> = new Set(['reverse', 'sort', 'fill']);

/** Operations that make a new array. */
export const MAKES_ARRAY =
  /^(?:array|call (?:\.(?:concat|filter|flat|flatMap|map|slice|split|toReversed|toSorted|toSpliced|reverse|sort)|Array\.(?:from|of)|Object\.(?:entries|keys|values)))$/;

/** String methods that are folded on constants. */
export const FOLDED_METHODS: ReadonlySet<string> = new Set(
  'charAt concat endsWith includes indexOf padEnd padStart repeat slice split startsWith substring toLowerCase toUpperCase trim'.split(
    ' ',
  ),
);

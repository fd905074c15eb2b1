import { isJsonObject, type JsonObject } from '../../json.ts';
import { columnName } from './column-name.ts';
import { constantOf, constantsIn, valueKey } from './constant-nodes.ts';
import { bodyOf, itemsOf, listOf, nodeOf, pathOf } from './tree.ts';

/** A constant of a statement that stands where data may stand. */
export interface FoundConstant {
  /** Where it begins, in bytes of UTF-8. */
  readonly byte: number;
  /** Its `A_Const` node in the tree. */
  readonly node: JsonObject;
  readonly column?: string | undefined;
  /** The least or the greatest value that its column may have. */
  readonly bound?: 'min' | 'max' | undefined;
  readonly isInteger?: boolean | undefined;
}

type Place = Pick<FoundConstant, 'column' | 'bound' | 'isInteger'> & { readonly onlyNumber?: boolean };

const COMPARISONS = new Set(['=', '==', '<>', '!=', '<', '>', '<=', '>=']);
const ARITHMETIC = new Set(['+', '-', '*', '/', '%']);
const COMPARING_KINDS = new Set(
  `AEXPR_IN AEXPR_LIKE AEXPR_ILIKE AEXPR_BETWEEN AEXPR_NOT_BETWEEN AEXPR_BETWEEN_SYM AEXPR_NOT_BETWEEN_SYM AEXPR_DISTINCT
  AEXPR_NOT_DISTINCT AEXPR_NULLIF`.split(/\s+/),
);
/** Functions whose constant arguments are data. Those of others are mostly formats, patterns, keys, units and separators. */
const DATA_FUNCTIONS = new Set(
  `lower upper trim btrim unaccent ifnull nvl make_date percentile_cont percentile_disc similarity
  word_similarity levenshtein plainto_tsquery phraseto_tsquery websearch_to_tsquery st_makepoint st_point st_dwithin`.split(
    /\s+/,
  ),
);

type Visit = (body: JsonObject, find: ConstantFinder) => void;

/** The nodes that are entered. Constants in any other node belong to the program. */
const VISITS: Readonly<Record<string, Visit>> = {
  SelectStmt: (body, find) => find.select(body),
  InsertStmt: ({ cols, selectStmt, withClause }, find) => {
    find.tables(withClause);
    find.select(bodyOf(selectStmt, 'SelectStmt') ?? {}, listOf(cols).map(nameOf));
  },
  UpdateStmt: ({ targetList, fromClause, whereClause, withClause }, find) => {
    find.tables(withClause);
    for (const target of listOf(targetList)) find.operand(assignedTo(target), { column: nameOf(target) });
    find.visitAll(fromClause, [whereClause]);
  },
  DeleteStmt: ({ usingClause, whereClause, withClause }, find) => {
    find.tables(withClause);
    find.visitAll(usingClause, [whereClause]);
  },
  A_Expr: (body, find) => find.operator(body),
  BoolExpr: ({ args }, find) => find.visitAll(args),
  NullTest: ({ arg }, find) => find.visit(arg),
  BooleanTest: ({ arg }, find) => find.visit(arg),
  TypeCast: ({ arg }, find) => find.visit(arg),
  CollateClause: ({ arg }, find) => find.visit(arg),
  A_Indirection: ({ arg }, find) => find.visit(arg),
  RowExpr: ({ args }, find) => find.visitAll(args),
  SubLink: ({ testexpr, subselect }, find) => find.visitAll([testexpr, subselect]),
  CoalesceExpr: (body, find) => find.operands(body.args, { column: columnName({ CoalesceExpr: body }) }),
  MinMaxExpr: ({ args }, find) => find.operands(args, {}),
  CaseExpr: ({ arg, args, defresult }, find) => {
    find.visitAll([arg, defresult]);
    for (const one of listOf(args)) {
      const { expr, result } = bodyOf(one, 'CaseWhen') ?? {};
      find.operand(expr, { column: columnName(arg) });
      find.visit(result);
    }
  },
  FuncCall: ({ funcname, args, agg_filter: filter }, find) => {
    const name = pathOf(funcname).at(-1) ?? '';
    // The third argument of `generate_series` is the length of a step: `'1 month'`.
    if (name === 'generate_series') find.operands(listOf(args).slice(0, 2), { isInteger: true });
    else if (DATA_FUNCTIONS.has(name)) find.operands(args, { isInteger: name === 'make_date' });
    else find.visitAll(args);
    find.visit(filter);
  },
  JoinExpr: ({ larg, rarg, quals }, find) => find.visitAll([larg, rarg, quals]),
  RangeSubselect: ({ subquery }, find) => find.visit(subquery),
  RangeFunction: ({ functions }, find) => find.visitAll(listOf(functions).flatMap(itemsOf)),
  CommonTableExpr: ({ ctequery }, find) => find.visit(ctequery),
};

/** Finds the constants of a statement that are data: what columns are compared with or set to, limits, numbers to reckon with. */
export function findConstants(statement: unknown): readonly FoundConstant[] {
  const finder = new ConstantFinder();
  finder.visit(statement);
  return finder.found;
}

class ConstantFinder {
  found: FoundConstant[] = [];

  visit(value: unknown): void {
    const [kind, body] = nodeOf(value) ?? [];
    if (kind !== undefined && body && Object.hasOwn(VISITS, kind)) VISITS[kind]?.(body, this);
  }

  visitAll(...lists: unknown[]): void {
    for (const value of lists.flatMap(listOf)) this.visit(value);
  }

  tables(withClause: unknown): void {
    if (isJsonObject(withClause)) this.visitAll(withClause.ctes);
  }

  select(body: JsonObject, columns: readonly (string | undefined)[] = []): void {
    this.tables(body.withClause);
    for (const half of [body.larg, body.rarg]) if (isJsonObject(half)) this.select(half);
    for (const row of listOf(body.valuesLists))
      itemsOf(row).forEach((item, at) => {
        this.operand(item, { column: columns[at] });
      });
    this.results(body);
    this.visitAll(body.fromClause, [body.whereClause]);
    this.operand(body.limitCount, { column: 'limit', isInteger: true, onlyNumber: true });
    this.operand(body.limitOffset, { column: 'offset', isInteger: true, onlyNumber: true });
  }

  /**
   * A database demands that what is selected repeats the expression it is grouped by, so constants of such keys stay, here
   * and there. A bare number is the place of a column in `order by 1`, and stands for nothing in `select 1`.
   */
  results({ targetList, havingClause, groupClause, distinctClause, sortClause }: JsonObject): void {
    const keys = [groupClause, distinctClause].flatMap(listOf);
    const before = this.found.length;
    for (const target of listOf(targetList)) {
      const name = nameOf(target);
      if (name === undefined) this.visit(assignedTo(target));
      else this.operand(assignedTo(target), { column: name });
    }
    this.visit(havingClause);
    const sorted = listOf(sortClause).map((key) => bodyOf(key, 'SortBy')?.node);
    if (keys.length === 0) {
      this.visitAll(sorted);
      return;
    }
    const kept = constantsIn([...keys, ...sorted].filter((key) => !constantOf(key)));
    this.found = this.found.filter(({ node }, at) => at < before || !kept.has(valueKey(node)));
  }

  operator({ kind, name, lexpr, rexpr }: JsonObject): void {
    const [sign = ''] = pathOf(name);
    const isComparing = COMPARING_KINDS.has(String(kind)) || (kind === 'AEXPR_OP' && COMPARISONS.has(sign));
    const isReckoning = kind === 'AEXPR_OP' && ARITHMETIC.has(sign) && lexpr !== undefined;
    // In `1 = 1` both are there for form's sake.
    if (isComparing && !(constantOf(lexpr) && itemsOf(rexpr).every(constantOf))) {
      const column = columnName(lexpr);
      const isRange = String(kind).includes('BETWEEN');
      this.operand(lexpr, { column: columnName(rexpr), bound: boundOf(sign, 'left') });
      for (const [at, value] of itemsOf(rexpr).entries())
        this.operand(value, { column, bound: isRange ? (at === 0 ? 'min' : 'max') : boundOf(sign, 'right') });
    } else if (isReckoning) this.operands([lexpr, rexpr], { onlyNumber: true });
    else this.visitAll([lexpr], itemsOf(rexpr));
  }

  operands(values: unknown, place: Place): void {
    for (const value of listOf(values)) this.operand(value, place);
  }

  /** Takes the constant that stands here; any other expression is searched. */
  operand(value: unknown, { onlyNumber, ...place }: Place): void {
    const node = constantOf(value);
    if (!node) this.visit(value);
    else if (typeof node.location === 'number' && !(onlyNumber && 'sval' in node))
      this.found.push({ byte: node.location, node, ...place });
  }
}

/** What a constant on one side of `<` or `>=` is to the other side. */
function boundOf(sign: string, side: 'left' | 'right'): 'min' | 'max' | undefined {
  if (!/^[<>]=?$/.test(sign)) return undefined;
  return sign.startsWith('>') === (side === 'right') ? 'min' : 'max';
}

function nameOf(target: unknown): string | undefined {
  const name = bodyOf(target, 'ResTarget')?.name;
  return typeof name === 'string' ? name : undefined;
}

function assignedTo(target: unknown): unknown {
  return bodyOf(target, 'ResTarget')?.val;
}

import { isJsonObject } from '../../json.ts';
import { sql as looksLikeSql } from '../literals/text-shapes.ts';
import { nameWords } from '../schema/read-only-tool.ts';
import { isReadSql } from '../sql/read-sql.ts';

/** The words of tools that execute SQL and do nothing else with it: `execute_sql`, `run_query`, `pg_query`. */
const EXECUTES = new Set(
  `execute exec run perform do sql query queries statement raw db database select read fetch postgres postgresql pg mysql
  mariadb sqlite mssql sqlserver duckdb bigquery bq snowflake redshift clickhouse supabase neon pglite warehouse in on the a
  against tool mcp`.split(/\s+/),
);
const NAMES_SQL = new Set(['sql', 'query', 'queries', 'statement', 'select']);
/** Arguments that put the result somewhere: `destination_table`, `saveAs`. */
const STORES = /dest|target|save|store|write|output|into|export|append|create|replace/i;
const MAX_KEYS = 50;

/** True for a tool whose name says that it executes SQL. */
export function executesSql(tool: string): boolean {
  const words = nameWords(tool.slice(tool.lastIndexOf(':') + 1));
  return words.some((word) => NAMES_SQL.has(word)) && words.every((word) => EXECUTES.has(word));
}

/** True for a call that lets a database execute one text, which only reads. */
export function isReadCall(tool: string, args: unknown): boolean {
  if (!executesSql(tool) || !isJsonObject(args)) return false;
  const entries = Object.entries(args);
  if (entries.length > MAX_KEYS || entries.some(([key]) => STORES.test(key))) return false;
  const texts = entries.flatMap(([, value]) => (typeof value === 'string' ? [value] : []));
  const [text, ...others] = texts.filter((one) => looksLikeSql(one) || isReadSql(one));
  return text !== undefined && others.length === 0 && isReadSql(text);
}

/** Says for each of some calls of SQL tools whether it only reads. `source` is the JSON of their names and arguments. */
export function readCalls(source: string): readonly boolean[] {
  const calls: readonly { name: string; args: string }[] = JSON.parse(source);
  return calls.map(({ name, args }) => args !== '' && isReadCall(name, JSON.parse(args)));
}

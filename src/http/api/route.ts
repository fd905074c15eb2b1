import type { z } from 'zod';
import type { View } from './view.ts';

/** One address of the API: what it takes, what it answers, and what it does. */
export interface Route {
  readonly method: 'get' | 'post' | 'patch';
  /** Below `/api/v1`; `:name` stands for one part. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodObject | undefined;
  readonly answer: z.ZodType;
  /** The largest answer, in bytes, if it may be larger than the default. */
  readonly maxBytes?: number | undefined;
  run(input: RouteInput, view: View): Promise<unknown>;
}

export interface RouteInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** The names of the parameters of a path. */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

interface RouteDefinition<
  Path extends string,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
> {
  method: Route['method'];
  path: Path;
  summary: string;
  query?: Query;
  body?: Body;
  answer: Answer;
  maxBytes?: number;
  run(
    input: { params: Record<ParamsOf<Path>, string>; query: z.infer<Query>; body: z.infer<Body> },
    view: View,
  ): Promise<z.input<Answer>>;
}

/** Defines a route. Its schemas type the request and the answer, validate the request, and describe both in OpenAPI. */
export function defineRoute<
  Path extends string,
  Answer extends z.ZodType,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(definition: RouteDefinition<Path, Query, Body, Answer>): Route {
  return definition as unknown as Route;
}

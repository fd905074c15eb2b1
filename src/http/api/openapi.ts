import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { VERSION } from '../../version.ts';
import type { Route } from './route.ts';
import { ApiError } from './schemas/common.ts';
import { EVENTS } from './schemas/events.ts';

const TOKEN = {
  name: 'x-pml-token',
  in: 'header',
  required: true,
  description: 'The token of GET /session. Each start of PML makes a new one.',
  schema: { type: 'string' },
};
const WORKSPACE = {
  name: 'workspace',
  in: 'query',
  description: 'The id of a workspace, of GET /session; that of `pml up` if absent.',
  schema: { type: 'string' },
};
const FAILED = { $ref: '#/components/responses/Failed' };

/** Describes the API in OpenAPI 3.1, from the schemas that validate it. */
export function describeApi(routes: readonly Route[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'PML',
      version: VERSION,
      description:
        'What the dashboard reads and does. Lists are paged: send `next` back as `cursor` until it is null. ' +
        'An answer has about 1 MB at most: a page may be shorter than its `limit`, and what is still too long is cut.',
    },
    servers: [{ url: '/api/v1' }],
    paths: { ...paths, '/events': { get: describeEvents() } },
    components: {
      responses: {
        Failed: {
          description: 'It failed. `message` says why, and `hint` what to do.',
          ...jsonContent(schemaOf(ApiError, 'output')),
        },
      },
    },
  };
}

function describeEvents(): JsonObject {
  const data = Object.entries(EVENTS).map(([name, type]) => ({ title: name, ...schemaOf(type, 'output') }));
  return {
    operationId: 'get_events',
    summary: 'Changes as they happen, as server-sent events',
    description:
      'The data of each event is JSON. `Last-Event-ID` catches up; an event `resync` says that it cannot.',
    parameters: [WORKSPACE],
    responses: {
      200: {
        description: 'A stream of events; the data of each is one of these.',
        content: { 'text/event-stream': { schema: { anyOf: data } } },
      },
      default: FAILED,
    },
  };
}

function describeRoute({ method, path, summary, query, body, answer }: Route): JsonObject {
  return {
    operationId: `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    summary,
    parameters: [
      ...Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
        ...{ name, in: 'path', required: true, schema: { type: 'string' } },
      })),
      ...(query ? queryParameters(query) : []),
      WORKSPACE,
      ...(method === 'get' ? [] : [TOKEN]),
    ],
    ...(body && { requestBody: { required: true, ...jsonContent(schemaOf(body, 'input')) } }),
    responses: {
      200: { description: summary, ...jsonContent(schemaOf(answer, 'output')) },
      default: FAILED,
    },
  };
}

function queryParameters(query: z.ZodObject): JsonObject[] {
  const { properties, required } = schemaOf(query, 'input');
  const demanded = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    ...{ name, in: 'query', required: demanded.includes(name), schema },
  }));
}

function jsonContent(schema: JsonObject): { content: JsonObject } {
  return { content: { 'application/json': { schema } } };
}

function schemaOf(type: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
  return schema;
}

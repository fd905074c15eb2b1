import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { PmlError } from '../../errors.ts';
import { noteWork } from '../../event-loop-watchdog.ts';
import { isJsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import { SavingsFigures, UsageFigures } from '../../runs/index.ts';
import { answerError } from './api-error.ts';
import { runBounded } from './bounded-answer.ts';
import { DashboardClients } from './dashboard-clients.ts';
import { EventStreams } from './events/event-streams.ts';
import { describeApi } from './openapi.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes/index.ts';
import { UndoLog } from './undo-log.ts';
import type { Dashboard, ShownWorkspace, View } from './view.ts';

export interface ApiOptions {
  who: Principal;
  startedAt: Date;
  /** The workspace of `pml up`. */
  home: ShownWorkspace;
  workspaces: () => readonly ShownWorkspace[];
  url: () => string;
  log: Log;
}

const TOKEN_HEADER = 'x-pml-token';

/** The API of the dashboard, `/api/v1`. */
export class Api {
  readonly routes = new Hono();
  readonly #options: ApiOptions;
  readonly #dashboard: Dashboard;
  readonly #clients: DashboardClients;

  constructor(options: ApiOptions) {
    const { startedAt, home, workspaces, url } = options;
    this.#options = options;
    const { db } = home.gateway.resources;
    this.#dashboard = {
      ...{ token: randomBytes(24).toString('base64url'), startedAt, home, workspaces, url },
      figures: new UsageFigures(db),
      saved: new SavingsFigures(db),
      undo: new UndoLog(),
      streams: new EventStreams(),
    };
    this.#clients = new DashboardClients();
    for (const route of ROUTES)
      this.routes.on(route.method.toUpperCase(), `/v1${route.path}`, (c) => this.#answer(c, route));
    this.routes.get('/openapi.json', (c) => c.json(describeApi(ROUTES)));
    this.routes.get('/v1/events', (c) => this.#openStream(c));
    this.routes.all('*', (c) =>
      this.#refuse(c, new PmlError('bad_request', 'There is no such address.'), 404),
    );
    this.routes.onError((error, c) => this.#refuse(c, error));
  }

  async close(): Promise<void> {
    this.#dashboard.streams.close();
    await this.#clients.close();
  }

  async #openStream(c: Context): Promise<Response> {
    this.#assertSameOrigin(c.req.raw);
    const { gateway, who } = this.#viewOf(c, c.req.query('workspace'));
    // A browser that opens the same stream again sends the header.
    const lastId = c.req.header('last-event-id') ?? c.req.query('after');
    return this.#dashboard.streams.open(gateway, who, lastId);
  }

  async #answer(c: Context, route: Route): Promise<Response> {
    noteWork('api', `${route.method} ${route.path}`);
    this.#assertSameOrigin(c.req.raw);
    if (route.method !== 'get') this.#assertToken(c.req.raw);
    const query = Object.fromEntries(new URL(c.req.url).searchParams);
    const { workspace: id, ...rest } = query;
    const view = this.#viewOf(c, id);
    const text = await runBounded(route, view, {
      params: c.req.param(),
      query: route.query ? (parse(route.query, rest, 'The query') as object) : {},
      body: route.method === 'get' ? {} : parseBody(route.body, await c.req.text()),
    });
    return c.body(text, 200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  }

  #viewOf(c: Context, id: string | undefined): View {
    const { who, workspaces, home } = this.#options;
    const workspace = id === undefined ? home : workspaces().find((one) => one.id === id);
    if (!workspace) {
      throw new PmlError('bad_request', 'This workspace is not open.', {
        hint: 'It is open while a client of its config is connected.',
      });
    }
    const { gateway } = workspace;
    const seen = { ...who, ...gateway.workspace.config.scope, person: true };
    const client = this.#clients.of(workspace, seen);
    return { workspace, gateway, who: seen, client, signal: c.req.raw.signal, dashboard: this.#dashboard };
  }

  /** Refuses requests that a browser sends for another site (Sec-Fetch-Site). Other programs send no such header, and pass. */
  #assertSameOrigin({ headers }: Request): void {
    const site = headers.get('sec-fetch-site');
    if (site === null || site === 'same-origin' || site === 'none') return;
    throw new PmlError('not_allowed', 'Only the dashboard itself may ask this.');
  }

  /** Checks the dashboard's token, which a page of another site cannot read, so that such a page can change nothing. */
  #assertToken({ headers }: Request): void {
    if (!isJsonContentType(headers.get('content-type')))
      throw new PmlError('bad_request', 'Content-Type must be application/json.');
    const given = Buffer.from(headers.get(TOKEN_HEADER) ?? '');
    const token = Buffer.from(this.#dashboard.token);
    if (given.length === token.length && timingSafeEqual(given, token)) return;
    throw new PmlError('stale_page', 'This page is from an earlier start of PML.', {
      hint: 'Load the page again.',
    });
  }

  #refuse(c: Context, error: unknown, status?: 404): Response {
    if (!(error instanceof PmlError)) this.#options.log.error(`api: ${(error as Error).stack}`);
    const answer = answerError(error);
    return c.json(answer.body, status ?? answer.status, { 'cache-control': 'no-store' });
  }
}

function parseBody(shape: z.ZodObject | undefined, text: string): unknown {
  let body: unknown;
  try {
    body = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new PmlError('bad_request', 'The body is not valid JSON.');
  }
  if (!isJsonObject(body)) throw new PmlError('bad_request', 'The body must be a JSON object.');
  return shape ? parse(shape, body, 'The body') : {};
}

const MAX_PROBLEMS = 500;

function parse(shape: z.ZodObject, given: unknown, what: string): unknown {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new PmlError('invalid_arguments', `${what} is wrong: ${problems.slice(0, MAX_PROBLEMS)}`);
}

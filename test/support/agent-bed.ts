import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { AiEngine, type Engine, type EngineOptions, type EngineResult } from '../../src/agents/index.ts';
import { StoredThreads, type ThreadMessage } from '../../src/agents/threads/index.ts';
import { PmlError } from '../../src/errors.ts';
import type { Principal } from '../../src/principal.ts';
import { Redactor } from '../../src/secrets/index.ts';
import { openDb } from '../../src/store/index.ts';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { type ChatModel, startChatModel } from './chat-model.ts';

export const ana: Principal = { user: 'ana', org: 'local', project: 'default' };

/** An event of a run, as the callbacks report it. */
export type RunEvent = [kind: string, ...details: unknown[]];

/** An engine on the real store, and the model that it talks to. One a file: a store takes a second to open. */
export async function openAgentBed() {
  const home = mkdtempSync(join(scratchRoot(), 'pml-test-'));
  const [db, model] = await Promise.all([openDb({ home }), startChatModel({ after })]);
  after(async () => {
    await db.close();
    rmSync(home, { recursive: true, force: true });
  });
  const threads = new StoredThreads(db, ana, new Redactor(['a-secret-of-the-config']));
  const access = { anthropicKey: 'key-of-anthropic', anthropicUrl: model.url };
  const prices = { 'openai/priced': { input: 2, output: 10 } };
  return new AgentBed(model, threads, new AiEngine({ threads, access, prices }));
}

export class AgentBed {
  readonly model: ChatModel;
  readonly threads: StoredThreads;
  readonly engine: Engine;

  constructor(model: ChatModel, threads: StoredThreads, engine: Engine) {
    this.model = model;
    this.threads = threads;
    this.engine = engine;
  }

  /** Runs one message in a thread, a new one by default. A failure is a value. */
  async run(message: string, options: Partial<EngineOptions> = {}, more: RunMore = {}) {
    const thread = more.thread ?? (await this.threads.open('analyst')).id;
    const events: RunEvent[] = [];
    const abort = more.abort ?? new AbortController();
    const note = (...event: RunEvent) => {
      events.push(event);
      more.onEvent?.(event, abort);
    };
    const outcome = await this.engine
      .run(
        message,
        { mcpServers: {}, model: `${this.model.url}#m`, maxRetries: 0, ...options },
        thread,
        {
          onText: (text) => note('text', text),
          onToolCall: ({ name, input }) => note('call', name, input),
          onToolResult: ({ name, output, isError }) => note('result', name, output, isError),
          onUsage: (usage) => note('usage', usage),
        },
        abort,
      )
      .catch((error: unknown) => {
        if (error instanceof PmlError) return error;
        throw error;
      });
    return { outcome, events, thread, messages: await this.threads.read(thread) };
  }

  /** Runs a message that must succeed. */
  async succeed(message: string, options: Partial<EngineOptions> = {}, more: RunMore = {}) {
    const { outcome, ...rest } = await this.run(message, options, more);
    if (outcome instanceof PmlError) throw outcome;
    return { result: outcome as EngineResult, ...rest };
  }

  /** Runs a message that must fail with a clear error. */
  async fail(message: string, options: Partial<EngineOptions> = {}, more: RunMore = {}) {
    const { outcome, ...rest } = await this.run(message, options, more);
    if (!(outcome instanceof PmlError)) throw new Error(`it succeeded: ${JSON.stringify(outcome)}`);
    return { error: outcome, ...rest };
  }
}

interface RunMore {
  thread?: string;
  abort?: AbortController;
  onEvent?: (event: RunEvent, abort: AbortController) => void;
}

/** The roles and texts of messages, in short. */
export function said(messages: readonly ThreadMessage[]): string[] {
  return messages.map((message) => {
    const calls = message.role === 'assistant' ? message.calls.map(({ name }) => ` →${name}`).join('') : '';
    const failed = message.role === 'tool' && message.isError ? '!' : '';
    return `${message.role}${failed}: ${message.text}${calls}`;
  });
}

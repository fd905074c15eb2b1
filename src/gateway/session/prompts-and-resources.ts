import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Directory } from '../../access/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { ClientRequest } from './client-request.ts';
import { pageOf } from './pages.ts';
import { stringParam } from './params.ts';
import type { Relay } from './relay.ts';

export interface PromptsAndResourcesOptions {
  relay: Relay;
  /** Returns what the session can reach at the moment. */
  directory: () => Directory;
  /** Settles when the first lists of new servers are there. */
  listsReady: () => Promise<void>;
}

/** Lists, gets and completes the servers' prompts and resources for a session. */
export class PromptsAndResources {
  readonly #options: PromptsAndResourcesOptions;

  constructor(options: PromptsAndResourcesOptions) {
    this.#options = options;
  }

  async listPrompts({ cursor }: JsonObject): Promise<JsonObject> {
    const { prompts } = await this.#completeDirectory();
    const { items, ...rest } = pageOf(prompts.entries, 'name', cursor);
    return { prompts: items, ...rest };
  }

  async listResources({ cursor }: JsonObject): Promise<JsonObject> {
    const { resources } = await this.#completeDirectory();
    const { items, ...rest } = pageOf(resources, 'uri', cursor);
    return { resources: items, ...rest };
  }

  async listTemplates({ cursor }: JsonObject): Promise<JsonObject> {
    const { templates } = await this.#completeDirectory();
    const { items, ...rest } = pageOf(templates, 'uriTemplate', cursor);
    return { resourceTemplates: items, ...rest };
  }

  async getPrompt(params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const { upstream, own } = await this.#find(({ prompts }) => prompts.find(stringParam(params, 'name')));
    return this.#options.relay.send(upstream, 'prompts/get', { ...params, name: own }, request);
  }

  async readResource(params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const uri = stringParam(params, 'uri');
    const found = await this.#find((directory) => {
      const resource = directory.resource(uri);
      if (!resource) throw new PmlError('resource_not_found', `Resource not found: ${uri}`);
      return resource;
    });
    const ownParams = { ...params, uri: found.uri };
    const result = await this.#options.relay.send(found.upstream, 'resources/read', ownParams, request);
    return found.uri === uri ? result : withUri(result, found.uri, uri);
  }

  async complete(params: JsonObject, request: ClientRequest): Promise<JsonObject> {
    const ref = (params.ref ?? {}) as JsonObject;
    const { upstream, ownRef } = ref.type === 'ref/prompt' ? await this.#findPrompt(ref) : this.#findUri(ref);
    const ownParams = { ...params, ref: { ...ref, ...ownRef } };
    return this.#options.relay.send(upstream, 'completion/complete', ownParams, request);
  }

  async #findPrompt(ref: JsonObject) {
    const { upstream, own } = await this.#find(({ prompts }) => prompts.find(stringParam(ref, 'name')));
    return { upstream, ownRef: { name: own } };
  }

  /** Finds the template, or the resource, that a completion refers to. */
  #findUri(ref: JsonObject) {
    const uri = stringParam(ref, 'uri');
    const directory = this.#options.directory();
    const template = directory.templates.find(({ listed }) => listed.uriTemplate === uri);
    if (template) return { upstream: template.upstream, ownRef: { uri: template.own } };
    const resource = directory.resource(uri);
    if (resource) return { upstream: resource.upstream, ownRef: { uri: resource.uri } };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`);
  }

  async #completeDirectory(): Promise<Directory> {
    await this.#options.listsReady();
    return this.#options.directory();
  }

  /** Tries again once the first lists are there: a server that is still starting may have what is asked for. */
  async #find<T>(find: (directory: Directory) => T): Promise<T> {
    try {
      return find(this.#options.directory());
    } catch {
      await this.#options.listsReady();
    }
    try {
      return find(this.#options.directory());
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    }
  }
}

/** Puts the URI that the client asked for back into the contents: the server knows the resource by its own. */
function withUri(result: JsonObject, own: string, uri: string): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  return { ...result, contents: contents.map((one) => (one?.uri === own ? { ...one, uri } : one)) };
}

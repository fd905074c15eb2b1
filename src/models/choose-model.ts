import type { ModelAccess } from '../config/index.ts';

/** A model that can be asked. */
export interface ModelChoice {
  readonly provider: 'anthropic' | 'openai';
  readonly model: string;
  readonly baseUrl: string;
  /** Absent for a server that needs none. */
  readonly key?: string | undefined;
}

const ANTHROPIC_URL = 'https://api.anthropic.com/v1';
const OPENAI_URL = 'https://api.openai.com/v1';

/** The short names of models. */
const ALIASES: Readonly<Record<string, string>> = {
  haiku: 'anthropic/claude-haiku-4-5',
  sonnet: 'anthropic/claude-sonnet-4-5',
};

/**
 * Finds the model that a setting means: `haiku`, `sonnet`, `anthropic/MODEL`, `openai/MODEL`, a model's own name, or the base
 * URL of an OpenAI-compatible server with the model after `#`. Returns the reason if it cannot be asked; `source` says where
 * the setting stands.
 */
export function chooseModel(
  setting: string,
  access: ModelAccess,
  source = 'The setting curation.model',
): ModelChoice | { why: string } {
  if (setting === 'none') return { why: `${source} is "none".` };
  if (/^https?:/i.test(setting)) return atUrl(setting, access, source);
  const name = Object.hasOwn(ALIASES, setting) ? (ALIASES[setting] as string) : setting;
  const slash = name.indexOf('/');
  const [provider, model] = slash > 0 ? [name.slice(0, slash), name.slice(slash + 1)] : [undefined, name];
  const isAnthropic = provider === 'anthropic' || (provider === undefined && name.startsWith('claude'));
  if (isAnthropic) return atAnthropic(model, access);
  return atOpenai(provider === 'openai' ? model : name, access);
}

/** The short name of a model, for people. */
export function modelName({ provider, model }: ModelChoice): string {
  return `${provider}/${model}`;
}

function atAnthropic(
  model: string,
  { anthropicKey: key, anthropicUrl }: ModelAccess,
): ModelChoice | { why: string } {
  if (key === undefined) return { why: `ANTHROPIC_API_KEY is not set, so "${model}" was not asked.` };
  const baseUrl = withoutSlash(anthropicUrl ?? ANTHROPIC_URL);
  // Anthropic's own clients take the address without the version.
  return { provider: 'anthropic', model, baseUrl: baseUrl.endsWith('/v1') ? baseUrl : `${baseUrl}/v1`, key };
}

function atOpenai(model: string, { openaiKey: key, openaiUrl }: ModelAccess): ModelChoice | { why: string } {
  if (key === undefined && openaiUrl === undefined)
    return { why: `Neither OPENAI_API_KEY nor OPENAI_BASE_URL is set, so "${model}" was not asked.` };
  return { provider: 'openai', model, baseUrl: withoutSlash(openaiUrl ?? OPENAI_URL), key };
}

/** Sends the key of OpenAI only to the server of OPENAI_BASE_URL, never to another address in a config file. */
function atUrl(
  setting: string,
  { openaiKey, openaiUrl }: ModelAccess,
  source: string,
): ModelChoice | { why: string } {
  const url = URL.parse(setting);
  const model = url ? decoded(url.hash.slice(1)) : '';
  if (!url || model === '')
    return { why: `${source} is an address without a model, as in "http://127.0.0.1:11434/v1#llama3.2".` };
  const isOwn = openaiUrl !== undefined && URL.parse(openaiUrl)?.origin === url.origin;
  url.hash = '';
  return { provider: 'openai', model, baseUrl: withoutSlash(url.href), key: isOwn ? openaiKey : undefined };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ModelChoice } from './choose-model.ts';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

interface OpenOptions {
  /** Sends requests, within limits of the caller. */
  fetch?: typeof fetch;
  /** The abilities of an OpenAI-compatible server. */
  supportsStructuredOutputs?: boolean;
  /** Asks an OpenAI-compatible server for token counts at the end of a stream. */
  includeUsage?: boolean;
}

/** Returns the model of a choice. This file loads the providers' packages, which takes a fifth of a second. */
export function openModel(
  { provider, model, baseUrl, key }: ModelChoice,
  options: OpenOptions = {},
): LanguageModel {
  if (provider === 'anthropic') {
    const { fetch } = options;
    return createAnthropic({ baseURL: baseUrl, apiKey: key ?? '', ...(fetch && { fetch }) })(model);
  }
  return createOpenAICompatible({
    name: 'openai',
    baseURL: baseUrl,
    ...(key !== undefined && { apiKey: key }),
    ...options,
  })(model);
}

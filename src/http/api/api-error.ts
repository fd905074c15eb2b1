import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ErrorCode, messageOf, PmlError } from '../../errors.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { ApiError } from './schemas/common.ts';

const STATUSES: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  tool_not_found: 404,
  capability_not_found: 404,
  version_not_found: 404,
  result_not_found: 404,
  run_not_found: 404,
  server_not_found: 404,
  agent_not_found: 404,
  not_allowed: 403,
  stale_page: 403,
  name_taken: 409,
  version_taken: 409,
  changed_meanwhile: 409,
  not_replayable: 409,
  capability_stale: 409,
  message_too_large: 413,
  database_unreachable: 503,
  upstream_unreachable: 503,
  upstream_timeout: 503,
  upstream_failed: 503,
  model_failed: 503,
  internal: 500,
};

/** Returns the API's answer to an error. Unexpected errors are answered without details; the caller logs them. */
export function answerError(error: unknown): { status: ContentfulStatusCode; body: ApiError } {
  if (!(error instanceof PmlError)) {
    const message = 'PML failed at this request. Its log has the details.';
    return { status: 500, body: { error: { code: 'internal', message } } };
  }
  const { code, hint } = error;
  const body = {
    error: { code, message: hideSecrets(messageOf(error)), ...(hint && { hint: hideSecrets(hint) }) },
  };
  return { status: STATUSES[code] ?? 400, body };
}

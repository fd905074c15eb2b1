/** Every failure PML can name, and who must act on it. */
export const ERRORS = {
  bad_request: 'caller',
  syntax_error: 'caller',
  tool_not_found: 'caller',
  capability_not_found: 'caller',
  version_not_found: 'caller',
  result_not_found: 'caller',
  agent_not_found: 'caller',
  run_not_found: 'caller',
  server_not_found: 'caller',
  version_taken: 'caller',
  name_taken: 'caller',
  invalid_name: 'caller',
  invalid_arguments: 'caller',
  schema_mismatch: 'caller',
  tool_failed: 'caller',
  capability_cycle: 'caller',
  capability_stale: 'caller',
  code_exception: 'caller',
  code_timeout: 'caller',
  code_memory: 'caller',
  code_limit: 'caller',
  code_denied: 'caller',
  prompt_not_found: 'caller',
  resource_not_found: 'caller',
  ambiguous_name: 'caller',
  not_allowed: 'caller',
  thread_not_found: 'caller',
  thread_changed: 'caller',
  changed_meanwhile: 'caller',
  not_replayable: 'caller',
  stale_page: 'caller',
  message_too_large: 'caller',
  bundle_invalid: 'caller',
  key_untrusted: 'caller',
  signature_invalid: 'operator',
  cancelled: 'caller',
  config_invalid: 'operator',
  home_unusable: 'operator',
  database_unreachable: 'operator',
  port_in_use: 'operator',
  daemon_unreachable: 'operator',
  daemon_running: 'operator',
  upstream_unreachable: 'upstream',
  upstream_timeout: 'upstream',
  upstream_failed: 'upstream',
  model_failed: 'upstream',
  internal: 'pml',
} as const;

export type ErrorCode = keyof typeof ERRORS;

export interface CodePosition {
  readonly line: number;
  readonly column?: number | undefined;
}

export interface PmlErrorOptions extends ErrorOptions {
  /** The reader's next step. */
  hint?: string;
  /** The position in the code that ran. */
  at?: CodePosition | undefined;
}

/** A failure that PML can name; `ERRORS` says who must act on it. Anything else thrown is a bug in PML. */
export class PmlError extends Error {
  override readonly name = 'PmlError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly at: CodePosition | undefined;

  constructor(code: ErrorCode, message: string, options?: PmlErrorOptions) {
    super(message, options);
    this.code = code;
    this.hint = options?.hint;
    this.at = options?.at;
  }
}

/** Reads the error that a failed tool of PML's own answered with; undefined if the answer holds none. */
export function errorInAnswer(answer: unknown): PmlError | undefined {
  const { error } = (answer ?? {}) as { error?: { code: ErrorCode; message?: string; hint?: string } };
  if (!error?.message) return undefined;
  return new PmlError(error.code, error.message, { ...(error.hint && { hint: error.hint }) });
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

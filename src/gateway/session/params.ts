import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../json.ts';

/** Returns a parameter that must be a string. */
export function stringParam(params: JsonObject, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: "${key}" must be a string`);
  }
  return value;
}

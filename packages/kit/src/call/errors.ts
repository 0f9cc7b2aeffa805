/** The one error type of tools and services, and its one mapping to an MCP result and to an HTTP status. */
import type { CallToolResult } from '@modelcontextprotocol/server';

/** Codes every tool may use without declaring them, with the HTTP status each maps to. */
export const SHARED_ERRORS = {
  not_found: 404,
  conflict: 409,
  forbidden: 403,
  invalid: 400,
  declined: 409,
  rate_limited: 429,
  unavailable: 503,
} as const;

/** A code every tool may use without declaring it. */
export type SharedErrorCode = keyof typeof SHARED_ERRORS;

/** Parley's own `_meta` keys share one vendor prefix. */
export const META_PREFIX = 'dev.parley/';

/** Where a failed tool result carries its code. */
export const ERROR_CODE_META_KEY = `${META_PREFIX}code`;

/** Where a failed tool result carries structured data about the failure. */
export const ERROR_DATA_META_KEY = `${META_PREFIX}data`;

/** What a model reads of a failure; nobody is helped by more. */
export const MAX_ERROR_CHARACTERS = 2000;

/** The text, cut with a mark so that it fits behind `Error: ` in an answer. */
function bounded(message: string): string {
  const room = MAX_ERROR_CHARACTERS - 'Error: '.length;
  return message.length <= room ? message : `${message.slice(0, room - 3)}...`;
}

/** A failure that a model or a person can act on; it becomes a tool result, never a protocol error. */
export class ToolError<Code extends string = string> extends Error {
  override readonly name = 'ToolError';
  readonly code: Code;
  readonly data: unknown;

  constructor(code: Code, message: string, data?: unknown) {
    super(bounded(message));
    this.code = code;
    this.data = data;
  }
}

/** A JSON-RPC fault: the request itself was wrong, not the work it asked for. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
  readonly code: number;
  readonly data: unknown;

  /** The cause is what it stands for, where whoever serves the message may know a better answer to that. */
  constructor(code: number, message: string, data?: unknown, options?: { readonly cause?: unknown }) {
    super(bounded(message), options);
    this.code = code;
    this.data = data;
  }
}

/** JSON-RPC codes Parley answers with; the names follow the specification. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** The answer to a call of a tool that does not exist or that the caller may not see: the same for both. */
export function unknownTool(name: string): ProtocolFault {
  return new ProtocolFault(RPC.invalidParams, `Unknown tool: ${name}`);
}

/** The fixed answer to a fault of ours; details go to the log only. */
export function internalFault(): ProtocolFault {
  return new ProtocolFault(RPC.internalError, 'Internal error');
}

/** The answer that nobody hears, since its client has gone or wants none; the record has its words. */
export function cancelledFault(): ProtocolFault {
  return new ProtocolFault(RPC.internalError, 'The call was cancelled before it had an answer.');
}

/** The errors behind results; another server may write the same code into its own `_meta`. */
const own = new WeakMap<object, ToolError>();

/** Turns a typed error into the tool result that every surface shows. */
export function errorResult(error: ToolError): CallToolResult {
  const meta: Record<string, unknown> = { [ERROR_CODE_META_KEY]: error.code };
  if (error.data !== undefined) meta[ERROR_DATA_META_KEY] = error.data;
  const content = [{ type: 'text' as const, text: `Error: ${error.message}` }];
  const result: CallToolResult = { _meta: meta, content, isError: true };
  own.set(result, error);
  return result;
}

/** The typed error that a result was made from here; undefined for a result that a tool returned itself. */
export function errorBehind(result: object): ToolError | undefined {
  return own.get(result);
}

/** True of a code that every tool may use. */
export function isSharedError(code: string): code is SharedErrorCode {
  return Object.hasOwn(SHARED_ERRORS, code);
}

/** The HTTP status of an error code; a tool's own codes are client errors. */
export function httpStatusOf(code: string): number {
  return isSharedError(code) ? SHARED_ERRORS[code] : 400;
}

/** Writes answers straight to the response: JSON bodies, JSON-RPC errors, refusals. */
import type { ServerResponse } from 'node:http';
import type { ProtocolFault } from '@parley/kit';
import type { HttpRefusal } from '@parley/http';

/** A JSON-RPC id that can be echoed. */
export type RequestId = string | number | null;

const JSON_TYPE = 'application/json';

/** Writes a finished JSON text. */
export function writeJson(
  res: ServerResponse,
  status: number,
  json: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(json), ...headers });
  res.end(json);
}

/** Writes a refusal as a JSON-RPC error without an id. */
export function writeRefusal(res: ServerResponse, refusal: HttpRefusal): void {
  writeJson(res, refusal.status, refusalJson(refusal), refusal.headers);
}

/** The JSON text of a refusal. */
export function refusalJson({ rpc, message }: HttpRefusal): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: rpc, message }, id: null });
}

/** The JSON text of a JSON-RPC error, with the keys in the order the SDK writes them. */
export function faultJson(fault: ProtocolFault, id: RequestId): string {
  const { code, message, data } = fault;
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code, message, ...(data !== undefined && { data }) },
  });
}

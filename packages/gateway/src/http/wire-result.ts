/** Brings a tool result into the form the SDK would send: known fields only, in the specification's order. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ProtocolFault, RPC } from '@parley/kit';

const FIELDS = ['_meta', 'content', 'structuredContent', 'isError'];

/** True for the usual answer, plain text blocks in order, which needs no second look. */
export function isPlainResult(result: CallToolResult): boolean {
  let last = -1;
  for (const field in result) {
    const at = FIELDS.indexOf(field);
    if (at <= last) return false;
    last = at;
  }
  return result.content.every(isPlainText);
}

function isPlainText(block: CallToolResult['content'][number]): boolean {
  const [first, second, ...others] = Object.keys(block);
  return block.type === 'text' && first === 'type' && second === 'text' && others.length === 0;
}

/** The result as the specification's schema writes it; a block that breaks it is a fault of the tool. */
export async function toWireResult(result: CallToolResult): Promise<CallToolResult> {
  const { specTypeSchemas } = await import('@modelcontextprotocol/server');
  const checked = specTypeSchemas.CallToolResult['~standard'].validate(result);
  if (checked instanceof Promise || checked.issues !== undefined) {
    throw new ProtocolFault(RPC.internalError, 'Internal error');
  }
  return checked.value;
}

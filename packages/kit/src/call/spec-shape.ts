/** Whether an answer of another server is as the specification writes it; what is not is named by its place alone. */
import { badAnswer } from './outside.ts';

type Answer = Readonly<Record<string, unknown>>;

/**
 * Refuses what breaks the specification. The SDK would refuse it too, but as a fault of the client's request, with
 * the whole schema as its text, and only where the answer leaves through it.
 */
export async function refuseUnspecified(
  kind: 'CallToolResult' | 'GetPromptResult' | 'ReadResourceResult',
  answer: Answer,
): Promise<void> {
  const { specTypeSchemas } = await import('@modelcontextprotocol/server');
  const checked = specTypeSchemas[kind]['~standard'].validate(answer);
  if (checked instanceof Promise || checked.issues === undefined) return;
  throw badAnswer(`${placeOf(checked.issues[0]?.path)} is not as MCP writes it`);
}

/** True for texts and nothing else, which is the usual answer and needs no schema. */
export function isTextAlone({ content, _meta }: Answer): boolean {
  return Array.isArray(content) && content.every(isText) && (_meta === undefined || isObject(_meta));
}

function isText(block: unknown): boolean {
  if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') return false;
  return block.annotations === undefined && block._meta === undefined;
}

function isObject(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Path = readonly (PropertyKey | { readonly key: PropertyKey })[];

function placeOf(path: Path = []): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? 'it' : keys.join('.');
}

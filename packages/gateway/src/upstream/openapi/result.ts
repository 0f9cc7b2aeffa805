/** From the answer of a service to the result of a tool. */
import { UpstreamFault } from '../link.ts';
import type { Answered } from './exchange.ts';
import { isShallow, objectIn } from './json.ts';
import { MAX_DEPTH, MAX_MEDIA_BYTES, MAX_REFUSAL } from './limits.ts';
import { decoderFor, isJsonType, isTextType, plainType } from './media-types.ts';
import { statusFault } from './refused.ts';
import type { Plan } from './service.ts';

type Result = Readonly<Record<string, unknown>>;

/** The result of a call; throws an `UpstreamFault` for what is no answer to it. */
export async function resultOf(answered: Answered, plan: Plan, now: number): Promise<Result> {
  const { status, headers } = answered;
  const fault = statusFault(status, headers, now);
  if (fault !== undefined) throw fault;
  if (status >= 200 && status < 300) return successOf(answered, plan);
  if (status >= 300 && status < 400)
    return failed(`The service answered ${status}: it sends elsewhere, and redirects are not followed.`);
  return failed(`The service answered ${status}.${await wordsOf(answered)}`);
}

function failed(text: string): Result {
  return { ...withText(text), isError: true };
}

function withText(text: string): Result {
  return { resultType: 'complete', content: [{ type: 'text', text }] };
}

/** What a service says about a call that it refused. */
async function wordsOf(answered: Answered): Promise<string> {
  const type = answered.headers.get('content-type');
  if (type !== null && !isJsonType(type) && !isTextType(type)) return '';
  const text = decoderFor(type)
    .decode(await answered.bytes())
    .trim();
  if (text === '') return '';
  return text.length <= MAX_REFUSAL
    ? `\n${text}`
    : `\n${text.slice(0, MAX_REFUSAL)}… (${text.length} characters)`;
}

async function successOf(answered: Answered, { method, hasOutput }: Plan): Promise<Result> {
  const { status, headers } = answered;
  if (method === 'HEAD') return withText(headText(status, headers));
  const type = headers.get('content-type');
  const isMedia = /^(image|audio)\//.test(plainType(type));
  if (type !== null && !isJsonType(type) && !isTextType(type) && !isMedia && !hasOutput)
    return withText(await noteOf(answered, plainType(type)));
  const bytes = await answered.bytes();
  if (hasOutput) return structured(bytes, type);
  if (bytes.byteLength === 0) return withText(`The service answered ${status} without content.`);
  if (isMedia) return media(bytes, plainType(type));
  const text = decoderFor(type).decode(bytes);
  if (type !== null && isJsonType(type)) return jsonResult(text);
  return withText(text);
}

function jsonResult(text: string): Result {
  const value = parsed(text);
  // Only an object can stand as one; anything else is told as text.
  const object = objectIn(value);
  return { ...withText(text), ...(object !== undefined && { structuredContent: object }) };
}

/** The answer of a tool that promised an object. */
function structured(bytes: Uint8Array, type: string | null): Result {
  const text = decoderFor(type).decode(bytes);
  const object = objectIn(parsed(text));
  if (object === undefined)
    throw new UpstreamFault(
      'invalid_result',
      'The service did not answer with an object, as its document says.',
    );
  return { ...withText(text), structuredContent: object };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UpstreamFault('invalid_result', 'The service did not answer with valid JSON.');
  }
  if (!isShallow(value, MAX_DEPTH))
    throw new UpstreamFault(
      'invalid_result',
      `The answer of the service is more than ${MAX_DEPTH} levels deep.`,
    );
  return value;
}

function media(bytes: Uint8Array, type: string): Result {
  if (bytes.byteLength > MAX_MEDIA_BYTES)
    return withText(
      `The service answered with ${bytes.byteLength} bytes of ${type}, which is too large to show.`,
    );
  const data = Buffer.from(bytes).toString('base64');
  const kind = type.startsWith('image/') ? 'image' : 'audio';
  return { resultType: 'complete', content: [{ type: kind, data, mimeType: type }] };
}

/** What can be said of bytes that no client shows. */
async function noteOf(answered: Answered, type: string): Promise<string> {
  const given = answered.headers.get('content-length');
  const size = given !== null && /^\d{1,15}$/.test(given) ? given : (await answered.bytes()).byteLength;
  return `The service answered with ${size} bytes of ${type}, which is neither text nor a picture nor a sound.`;
}

const TOLD_HEADERS = ['content-type', 'content-length', 'last-modified', 'etag'];

function headText(status: number, headers: Headers): string {
  const told = TOLD_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value.slice(0, 200)}`];
  });
  return [`The service answered ${status}.`, ...told].join('\n');
}

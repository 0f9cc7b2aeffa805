/** What is kept of the input and output of a call: made when its record is written, without secrets, and short. */
import type { CallBody, CallRecord, ToolAnswer } from '@parley/kit';
import { isToolResult } from '@parley/kit';
import type { TagsOf } from '@parley/mesh/tag-labels';
import type { CallDetail, PendingDetail } from '@parley/store';
import type { Secrets } from './kept-json.ts';
import { bytesOf, keptJson, keptText } from './kept-json.ts';
import { propertiesJson } from './properties.ts';
import { secretFields } from './secret-names.ts';

/** What else is secret in a call: what it carried, and what its organization has stored. */
export type SecretsOf = (call: CallRecord) => Pick<Secrets, 'texts' | 'marked'>;

const LONGEST_MESSAGE = 2_000;
/** What a value with very many parts may hold. */
const HEAVY_BYTES = 1024 * 1024;
const DROPPED = '"[DROPPED:redaction failed]"';
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Makes details; `secretsOf` tells what is secret in what a call took and gave. */
export function detailsWith(
  secretsOf: SecretsOf,
  tagsOf: TagsOf = () => undefined,
): (call: CallRecord) => PendingDetail | undefined {
  return (call) => {
    const { body } = call;
    if (body === undefined) return undefined;
    const weightBytes = weightOf(body.args) + weightOfAnswer(body.answer);
    // Asked for already now, so that they are known when the record is written.
    tagsOfCaller(call);
    return { weightBytes, make: () => detailOf(call, body, { secretsOf, tagsOfCaller }) };
  };

  function tagsOfCaller({ caller: { organizationId, userId } }: CallRecord): string | undefined {
    return userId === null ? undefined : tagsOf(organizationId, userId);
  }
}

/** The usual answer is one text whose data is about as long, so that nothing has to be counted. */
function weightOfAnswer(answer: ToolAnswer | undefined): number {
  const content = answer?.content;
  const first: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  const isText =
    typeof first === 'object' && first !== null && 'text' in first && typeof first.text === 'string';
  const text = isText ? String(first.text) : '';
  return text.startsWith('{') ? text.length * 2 : weightOf(answer);
}

function weightOf(value: unknown): number {
  try {
    return value === undefined ? 0 : (bytesOf(value) ?? HEAVY_BYTES);
  } catch {
    // What cannot even be looked at fails again, off the request path, and is left out there.
    return HEAVY_BYTES;
  }
}

/** What the server knows about a call and its caller. */
interface Known {
  readonly secretsOf: SecretsOf;
  tagsOfCaller(call: CallRecord): string | undefined;
}

function detailOf(call: CallRecord, body: CallBody, known: Known): CallDetail {
  const { info } = call;
  const about = {
    upstreamUs: call.upstreamMs === undefined ? null : Math.round(call.upstreamMs * 1000),
    traceId: info.traceparent === undefined ? null : (TRACEPARENT.exec(info.traceparent)?.[1] ?? null),
    properties: propertiesJson(info.properties, body.args, known.tagsOfCaller(call)),
  };
  try {
    const secrets: Secrets = {
      fields: secretFields(body.tool.definition.inputSchema),
      ...known.secretsOf(call),
    };
    const input = keptJson(body.args ?? {}, secrets);
    const shown = body.answer === undefined ? undefined : outputOf(body.answer);
    const output = shown === undefined ? undefined : keptJson(shown, secrets);
    return {
      ...about,
      input: input.text,
      output: output?.text ?? null,
      message: messageOf(body, secrets),
      bytesIn: input.bytes,
      bytesOut: output?.bytes ?? null,
    };
  } catch {
    // Its fault may quote what must not be kept.
    return { ...about, input: DROPPED, output: DROPPED, message: null, bytesIn: null, bytesOut: null };
  }
}

/** The data of an answer, or its text where it has none; what is sealed for the client is not kept. */
function outputOf(answer: ToolAnswer): unknown {
  if (!isToolResult(answer)) {
    return { resultType: answer.resultType, ...('taskId' in answer && { taskId: answer.taskId }) };
  }
  return answer.structuredContent ?? answer.content;
}

function messageOf({ answer, message }: CallBody, secrets: Secrets): string | null {
  const text = message ?? (answer !== undefined && isToolResult(answer) ? errorText(answer) : undefined);
  // Cut first, with room to spare, so that a long text takes no longer; then what may be torn is cut off.
  return text === undefined
    ? null
    : keptText(text.slice(0, LONGEST_MESSAGE * 2), secrets).slice(0, LONGEST_MESSAGE);
}

function errorText({
  isError,
  content,
}: {
  isError?: boolean | undefined;
  content: readonly { type: string }[];
}) {
  const [first] = content;
  if (isError !== true || first === undefined || !('text' in first)) return undefined;
  return String(first.text);
}

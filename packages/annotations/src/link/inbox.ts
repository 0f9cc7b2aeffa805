/** From bytes to a checked message: size, JSON, type, payload. */
import { DEFAULT_INBOUND_LIMITS, parseJson } from '@parley/http';
import { describeIssues, ToolError, unkeepableIn } from '@parley/kit';
import type { ClientPayload, ClientType } from './messages.ts';
import { CLIENT_PAYLOADS } from './messages.ts';

/** A checked message. */
export type Inbound = {
  [Type in ClientType]: {
    readonly type: Type;
    readonly id: string | undefined;
    readonly payload: ClientPayload<Type>;
  };
}[ClientType];

/** A message that cannot be used; it carries the id that the answer repeats. */
export class BadMessage extends ToolError {
  readonly id: string | undefined;

  constructor(message: string, id?: string) {
    super('invalid', message);
    this.id = id;
  }
}

const MAX_ID_LENGTH = 100;
const MAX_FAULTS = 10;

/** Reads one message; throws BadMessage. */
export function readMessage(text: string): Inbound {
  let value: unknown;
  try {
    value = parseJson(text, DEFAULT_INBOUND_LIMITS);
  } catch {
    throw new BadMessage('The message is not valid JSON, or has too much in it.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadMessage('A message is one JSON object with type and payload.');
  }
  // Each field is checked before it is used.
  const { type, id, payload } = value as { type?: unknown; id?: unknown; payload?: unknown };
  const knownId = typeof id === 'string' && id.length <= MAX_ID_LENGTH ? id : undefined;
  if (typeof type !== 'string' || !isClientType(type)) {
    throw new BadMessage(
      `Unknown message type. Known are: ${Object.keys(CLIENT_PAYLOADS).join(', ')}.`,
      knownId,
    );
  }
  const parsed = CLIENT_PAYLOADS[type].safeParse(payload ?? {});
  if (!parsed.success) {
    const faults = describeIssues(parsed.error.issues.slice(0, MAX_FAULTS), payload);
    throw new BadMessage(faults, knownId);
  }
  const unkeepable = unkeepableIn(payload);
  if (unkeepable !== undefined) throw new BadMessage(unkeepable, knownId);
  // The payload was just checked by the schema of this very type.
  return { type, id: knownId, payload: parsed.data } as Inbound;
}

function isClientType(type: string): type is ClientType {
  return Object.hasOwn(CLIENT_PAYLOADS, type);
}

/** The thread that checks values against schemas whose cost nobody knows beforehand. */
import { parentPort } from 'node:worker_threads';
import type { JsonSchema } from '@parley/kit';
import type { Validator } from './engine.ts';
import { compiled } from './engine.ts';

/** What the thread is told: a value as JSON, and the schema after it has asked for it. */
export type ToThread =
  | { readonly type: 'check'; readonly digest: string; readonly json: string }
  | { readonly type: 'schema'; readonly schema: JsonSchema };

/** What it tells. Each step has a time of its own. */
export type FromThread =
  | { readonly type: 'ready' | 'unknown' | 'compiled' }
  | { readonly type: 'unusable'; readonly why: string }
  | { readonly type: 'checked'; readonly fault: string | undefined };

const MOST_KEPT = 100;

const port = parentPort;
const validators = new Map<string, Validator>();
let waiting: { readonly digest: string; readonly json: string } | undefined;
const tell = (message: FromThread) => port?.postMessage(message);

function check(validate: Validator, json: string): void {
  tell({ type: 'checked', fault: validate(JSON.parse(json)) });
}

function keep(digest: string, validate: Validator): void {
  validators.delete(digest);
  validators.set(digest, validate);
  const [oldest] = validators.size > MOST_KEPT ? validators.keys() : [];
  if (oldest !== undefined) validators.delete(oldest);
}

port?.on('message', (message: ToThread) => {
  if (message.type === 'check') {
    const known = validators.get(message.digest);
    if (known === undefined) {
      waiting = message;
      tell({ type: 'unknown' });
      return;
    }
    keep(message.digest, known);
    check(known, message.json);
    return;
  }
  if (waiting === undefined) return;
  const { digest, json } = waiting;
  waiting = undefined;
  let made: Validator;
  try {
    made = compiled(message.schema);
  } catch (error) {
    tell({
      type: 'unusable',
      why: error instanceof Error ? error.message.slice(0, 300) : 'it cannot be read',
    });
    return;
  }
  keep(digest, made);
  tell({ type: 'compiled' });
  check(made, json);
});
tell({ type: 'ready' });

/** Forms that a browser sends, read within the limits. */
import type { IncomingMessage } from 'node:http';
import { unkeepableText } from '@parley/kit';
import { HttpRefusal } from '../refusal.ts';
import { readBytes } from './bytes.ts';
import { DEFAULT_INBOUND_LIMITS } from './limits.ts';

const LIMITS = { ...DEFAULT_INBOUND_LIMITS, bodyBytes: 256 * 1024 };

/** The fields of a form. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new HttpRefusal(415, 'Only plain forms are accepted here.');
  const bytes = await readBytes(req, LIMITS, 'This form is too large.');
  return checkedFields(new URLSearchParams(bytes.toString('utf8')));
}

/** The same fields; refuses text that no database keeps. */
export function checkedFields(fields: URLSearchParams): URLSearchParams {
  for (const [name, value] of fields) {
    const rule = unkeepableText(value);
    if (rule === undefined) continue;
    const errors = { [name]: [rule] };
    throw new HttpRefusal('BAD_REQUEST', `${name}: ${rule}`, { details: { errors } });
  }
  return fields;
}

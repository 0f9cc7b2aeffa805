/** Forms that a browser sends, read within the limits. */
import type { IncomingMessage } from 'node:http';
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
  return new URLSearchParams(bytes.toString('utf8'));
}
